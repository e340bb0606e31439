import { resolve } from "node:path";
import type { StdioCommand } from "allspeak/client";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ResolvedTarget } from "./resolved-target.ts";
import type { TargetOptions } from "./target-options.ts";

/** Finds out what the text on the command line stands for. */
export async function resolveTarget(
  text: string,
  options: TargetOptions,
  terminal: Terminal,
): Promise<ResolvedTarget> {
  const { cwd } = terminal.streams;
  if (options.config !== undefined || mayBeName(text)) {
    const { findConfiguredTarget } = await import("./configured-target.ts");
    const found = await findConfiguredTarget(text, options, terminal);
    if (found) return found;
  }
  if (/^(?:https?|wss?):\/\//i.test(text)) return { kind: "url", target: text };
  if (text === "everything") {
    const { loadDemo } = await import("./demo.ts");
    return { kind: "demo", target: await loadDemo() };
  }
  const { isModulePath, loadServer } = await import("./load-module.ts");
  if (isModulePath(text)) {
    return { kind: "module", target: await loadServer(text, { cwd }), file: resolve(cwd, text) };
  }
  const { splitCommand } = await import("../../client/connect/split-command.ts");
  return { kind: "command", target: withEnvironment({ ...splitCommand(text), cwd }, options.env ?? []) };
}

/** Looks for a host's file only where there can be one: most targets are URLs, paths and command lines. */
function mayBeName(text: string): boolean {
  return /^[\w.@-]+$/.test(text) && !/\.[mc]?[jt]sx?$/.test(text);
}

function withEnvironment(command: StdioCommand, given: readonly string[]): StdioCommand {
  const pairs = given.map((pair) => {
    const at = pair.indexOf("=");
    if (at < 1)
      throw new CommandError(`--env takes NAME=VALUE, not ${JSON.stringify(pair)}.`, ExitCode.usage);
    return [pair.slice(0, at), pair.slice(at + 1)] as const;
  });
  return { ...command, env: { ...command.env, ...Object.fromEntries(pairs) } };
}

import { resolve } from "node:path";
import type { Terminal } from "../terminal/terminal.ts";
import { assertNoEnvironment, withEnvironment } from "./command-environment.ts";
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
  if (/^(?:https?|wss?):\/\//i.test(text)) {
    assertNoEnvironment("a URL", options.env);
    return { kind: "url", target: text };
  }
  if (text === "everything") {
    const { loadDemo } = await import("./demo.ts");
    return { kind: "demo", target: await loadDemo() };
  }
  const { isModulePath, loadServer } = await import("./load-module.ts");
  if (isModulePath(text)) {
    assertNoEnvironment(
      "a module, which runs in this process: set the variable for the command",
      options.env,
    );
    return { kind: "module", target: await loadServer(text, { cwd }), file: resolve(cwd, text) };
  }
  const { assertProgram } = await import("./assert-program.ts");
  assertProgram(text, terminal.streams);
  const { splitCommand } = await import("../../client/connect/split-command.ts");
  return { kind: "command", target: withEnvironment({ ...splitCommand(text), cwd }, options.env ?? []) };
}

/** Looks for a host's file only where there can be one: most targets are URLs, paths and command lines. */
function mayBeName(text: string): boolean {
  return /^[\w.@-]+$/.test(text) && !/\.[mc]?[jt]sx?$/.test(text);
}

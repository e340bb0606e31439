import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { projectFiles } from "../../node/files/host-files.ts";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";
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
  const resolved = await findTarget(text, options, terminal);
  if (resolved.kind !== "module") assertNoExport(options.export);
  return resolved;
}

/** Refuses `--export` where it would have no effect. */
export function assertNoExport(given: string | undefined): void {
  if (given === undefined) return;
  throw new CommandError("--export is for modules, and the target is not one.", ExitCode.usage);
}

async function findTarget(text: string, options: TargetOptions, terminal: Terminal): Promise<ResolvedTarget> {
  const { cwd } = terminal.streams;
  if (options.config !== undefined || mayBeName(text, cwd)) {
    const { findConfiguredTarget } = await import("./configured-target.ts");
    const found = await findConfiguredTarget(text, options, terminal);
    if (found) return found;
  }
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) {
    assertUrl(text);
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
    terminal.ownStdout();
    const target = await loadServer(text, { cwd, exportName: options.export });
    return { kind: "module", target, file: resolve(cwd, text) };
  }
  const { assertProgram } = await import("./assert-program.ts");
  assertProgram(text, terminal.streams);
  const { splitCommand } = await import("../../client/connect/split-command.ts");
  return { kind: "command", target: withEnvironment({ ...splitCommand(text), cwd }, options.env ?? []) };
}

function assertUrl(text: string): void {
  if (/^(?:https?|wss?):/i.test(text) && URL.canParse(text)) return;
  throw new CommandError(`${JSON.stringify(text)} is not the URL of a server.`, ExitCode.usage, {
    hint: "It has the form https://example.com/mcp, with http, https, ws or wss at its start.",
  });
}

/** True where the folder has a file of a host that may name the text: any name will do that is no URL and no module. */
function mayBeName(text: string, cwd: string): boolean {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text) || /\.[mc]?[jt]sx?$/.test(text)) return false;
  return projectFiles.some((file) => existsSync(join(cwd, file)));
}

import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { ProcessError, UsageError } from "../../errors.ts";
import { toChildEnvironment } from "./child-environment.ts";
import type { StartedChild } from "./child-pipe.ts";
import { RepeatedStderrFilter, type StderrFilter } from "./repeated-stderr.ts";
import { StderrLines } from "./stderr-lines.ts";
import type { StdioCommand } from "./stdio-command.ts";
import { type SpawnCommand, toWindowsCommand } from "./windows-command.ts";
import { writeStderr } from "./write-stderr.ts";

const isWindows = process.platform === "win32";

/** Starts a command in a process group of its own; throws what can be done about it when it can't be started. */
export async function startChild(
  command: StdioCommand,
  repeated: RepeatedStderrFilter = new RepeatedStderrFilter(),
): Promise<StartedChild> {
  if (typeof command.command !== "string" || command.command === "") {
    throw new UsageError('A command needs the name or path of a program in "command".');
  }
  const child = spawnChild(command);
  const { pid, stdin, stdout } = child;
  if (pid === undefined || stdin === null || stdout === null) {
    const [error] = await once(child, "error");
    throw toStartError(command, error);
  }
  // What can't be signalled has ended.
  child.on("error", () => {});
  return {
    name: command.command,
    pid,
    process: child,
    stdin,
    stdout,
    stderr: readStderr(child, command.stderr, repeated.begin(performance.now())),
  };
}

function spawnChild(command: StdioCommand): ChildProcess {
  const env = toChildEnvironment(command);
  const { file, args, verbatim } = toSpawnCommand(command, env);
  const options: SpawnOptions = {
    env,
    cwd: command.cwd,
    stdio: ["pipe", "pipe", command.stderr === "ignore" ? "ignore" : "pipe"],
    // A process group of its own; on Windows it would be a console window.
    detached: !isWindows,
    windowsHide: true,
    windowsVerbatimArguments: verbatim,
  };
  try {
    return spawn(file, args, options);
  } catch (error) {
    throw toStartError(command, error);
  }
}

function toSpawnCommand(
  { command, args = [], cwd }: StdioCommand,
  env: Record<string, string>,
): SpawnCommand {
  if (!isWindows) return { file: command, args, verbatim: false };
  const shell = process.env.COMSPEC ?? "cmd.exe";
  return toWindowsCommand(command, args, { shell, env, cwd: resolve(cwd ?? "."), isFile });
}

function readStderr(
  child: ChildProcess,
  mode: StdioCommand["stderr"],
  pass: StderrFilter,
): StderrLines | undefined {
  const { stderr } = child;
  if (stderr === null) return undefined;
  const kept = new StderrLines();
  const shown = new StderrLines(typeof mode === "function" ? mode : undefined);
  stderr.on("data", (chunk: Buffer) => {
    kept.push(chunk);
    const fresh = pass(chunk);
    if (fresh === undefined) return;
    if (typeof mode === "function") shown.push(fresh);
    if (mode !== undefined && mode !== "inherit") return;
    if (!writeStderr(fresh, () => stderr.resume())) stderr.pause();
  });
  stderr.once("end", () => {
    kept.end();
    shown.end();
  });
  stderr.on("error", () => {});
  return kept;
}

/** Node's own error lists the arguments, which may hold secrets: only its code is taken over. */
function toStartError({ command, cwd }: StdioCommand, error: unknown): ProcessError {
  const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
  const why = cwd !== undefined && !isFolder(cwd) ? `"${cwd}" is not a folder; check cwd` : explain(code);
  return new ProcessError(`Can't start "${command}": ${why} (${code}).`, {
    exitCode: null,
    signal: null,
    stderr: [],
  });
}

function explain(code: string): string {
  switch (code) {
    case "ENOENT":
      return "there is no such program; check the command, its PATH, and the first line if it is a script";
    case "EACCES":
    case "EPERM":
      return "running it is not allowed; check that the file is executable and the folders can be entered";
    case "E2BIG":
      return "its arguments and environment are too large";
    case "ERR_INVALID_ARG_VALUE":
      return "a part of the command contains a zero character";
    default:
      return "the system refused";
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { ProcessError, UsageError } from "../../errors.ts";
import { toChildEnvironment } from "./child-environment.ts";
import { RepeatedStderrFilter, readStderr, type StderrLines } from "./child-stderr.ts";

import type { StdioCommand } from "./stdio-command.ts";
import { type SpawnCommand, toWindowsCommand } from "./windows-command.ts";

const isWindows = process.platform === "win32";

/** A child that was started with pipes. On POSIX it leads a process group of its own. */
export interface StartedChild {
  readonly name: string;
  readonly pid: number;
  readonly process: ChildProcess;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Undefined when stderr is ignored. */
  readonly stderr: StderrLines | undefined;
}

/** Starts a command in a process group of its own; the error of a failed start names what to check. */
export async function startChild(
  command: StdioCommand,
  repeated: RepeatedStderrFilter = new RepeatedStderrFilter(),
): Promise<StartedChild> {
  if (typeof command.command !== "string" || command.command === "") {
    throw new UsageError('A command needs the name or path of a program in "command".');
  }
  const child = spawnChild(command);
  const { pid, stdin, stdout, stderr } = child;
  if (pid === undefined || stdin === null || stdout === null) {
    const [error] = await once(child, "error");
    throw toStartError(command, error);
  }
  // A failed signal means that the child has ended.
  child.on("error", () => {});
  return {
    name: command.command,
    pid,
    process: child,
    stdin,
    stdout,
    stderr: stderr ? readStderr(stderr, command.stderr, repeated.begin(performance.now())) : undefined,
  };
}

function spawnChild(command: StdioCommand): ChildProcess {
  const env = toChildEnvironment(command);
  const { file, args, verbatim } = toSpawnCommand(command, env);
  const options: SpawnOptions = {
    env,
    cwd: command.cwd,
    stdio: ["pipe", "pipe", command.stderr === "ignore" ? "ignore" : "pipe"],
    // Makes a process group; on Windows it would open a console window.
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

/** Keeps only the code of Node's error: its message lists the arguments, which may hold secrets. */
function toStartError({ command, cwd }: StdioCommand, error: unknown): ProcessError {
  const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
  const why =
    cwd !== undefined && !isFolder(cwd) ? `"${cwd}" is not a folder; check cwd` : explain(code, command);
  return new ProcessError(`Can't start "${command}": ${why} (${code}).`, {
    exitCode: null,
    signal: null,
    stderr: [],
  });
}

function explain(code: string, command: string): string {
  switch (code) {
    case "ENOENT":
      if (/\s/.test(command)) return 'there is no program of that name; write its arguments as "args"';
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

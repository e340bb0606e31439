import { accessSync, constants, existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import type { ServerEntry } from "allspeak/host";
import { splitCommand } from "../../client/connect/split-command.ts";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";
import { assertProgram } from "../target/assert-program.ts";
import type { Streams } from "../terminal/terminal.ts";

/** The entry of a command line. Hosts start it in a folder of their own, so files of this folder get their whole path. */
export function toCommandEntry(line: string, streams: Pick<Streams, "cwd" | "env">): ServerEntry {
  assertProgram(line, streams, "A target is a URL, a quoted command, a module, or everything.");
  const { command, args = [] } = splitCommand(line);
  const program = /[\\/]/.test(command) ? resolve(streams.cwd, command) : command;
  if (isAbsolute(program) && !isExecutable(program))
    throw new CommandError(`${command} is not a program.`, ExitCode.usage, {
      hint: "Name the program that runs it, too: node server.mjs",
    });
  return { command: program, args: args.map((word) => toWholePath(word, streams.cwd)), env: {} };
}

/** A word without a dot or a slash may be the name of a package, even if there is a file of that name. */
function toWholePath(word: string, cwd: string): string {
  if (word.startsWith("-") || !/[\\/.]/.test(word)) return word;
  const path = resolve(cwd, word);
  return existsSync(path) ? path : word;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // It is not there, or this user may not run it.
    return false;
  }
}

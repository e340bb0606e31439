#!/usr/bin/env node
import { constants } from "node:os";
import { longestDelayMs } from "../lib/async/timers.ts";
import { nextTurn } from "../lib/async/yield-turn.ts";
import { ExitCode } from "./exit-code.ts";
import { runCommand } from "./main.ts";

/** Time for connections and child processes to close after a signal. */
const graceMs = 5_000;

const interruption = new AbortController();
let exitCode: number | undefined;

function onSignal(signal: NodeJS.Signals): void {
  const code = 128 + constants.signals[signal];
  // A second signal means: at once.
  if (interruption.signal.aborted) process.exit(code);
  exitCode = code;
  interruption.abort(new DOMException(`Interrupted by ${signal}.`, "AbortError"));
  setTimeout(() => process.exit(code), graceMs).unref();
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader that went away, such as `head`, has seen what it wanted.
  const code = error.code === "EPIPE" ? ExitCode.ok : ExitCode.usage;
  if (code !== ExitCode.ok && exitCode === undefined)
    process.stderr.write(`error: Standard output can't be written: ${error.message}.\n`);
  exitCode ??= code;
  interruption.abort(new DOMException("The output can't be written.", "AbortError"));
  setTimeout(() => process.exit(code), graceMs).unref();
});
process.stderr.on("error", (error: NodeJS.ErrnoException) => {
  // Whoever read the notes is gone, and a server goes on for its clients.
  if (error.code !== "EPIPE") throw error;
});

// A verb may wait for what keeps no process alive, such as a server in this process that sends nothing.
const alive = setInterval(() => {}, longestDelayMs);
const ended = await runCommand(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  signal: interruption.signal,
});
clearInterval(alive);
// Written output must leave before the process does: on a pipe it goes by turns.
for (const stream of [process.stdout, process.stderr]) {
  if (stream.writable && stream.writableLength > 0)
    await new Promise<void>((resolve) => stream.write("", () => resolve()));
}
// A write to a file that failed is reported in the next turn.
await nextTurn();
process.exit(exitCode ?? ended);

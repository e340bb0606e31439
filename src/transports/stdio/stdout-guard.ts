import { UsageError } from "../../errors.ts";
import { writeStderr } from "./write-stderr.ts";

export interface StdoutGuard {
  /** The one way to the real stdout. */
  readonly write: (text: string, done: (error?: Error | null) => void) => void;
  restore(): void;
}

type Write = typeof process.stdout.write;

let guarded = false;
const ignore = (): void => {};

/**
 * Sends to stderr whatever this process writes to stdout, `console.log` included, so
 * that stdout carries messages only.
 *
 * What goes round `process.stdout` can't be caught: writes to file descriptor 1, and
 * children that inherit it.
 */
export function guardStdout(): StdoutGuard {
  if (guarded) throw new UsageError("Standard output is already served by this process.");
  const { stdout } = process;
  const own = Object.getOwnPropertyDescriptor(stdout, "write");
  const real: Write = stdout.write;
  // Somebody may wrap this function and keep it, so it has to go on working when the guard is over.
  const divert = (...args: Parameters<Write>): boolean =>
    guarded ? writeAside(args) : Reflect.apply(real, stdout, args);
  guarded = true;
  stdout.write = divert as Write;
  // Losing the log must not end the server.
  process.stderr.on("error", ignore);
  return {
    write: (text, done) => void Reflect.apply(real, stdout, [text, done]),
    restore: () => {
      guarded = false;
      process.stderr.off("error", ignore);
      if (stdout.write !== divert) return;
      if (own) Object.defineProperty(stdout, "write", own);
      else Reflect.deleteProperty(stdout, "write");
    },
  };
}

/** Always says there is room: a writer that waited would wait for stdout to drain, not stderr. */
function writeAside([chunk, encoding, callback]: Parameters<Write>): boolean {
  const done = (typeof encoding === "function" ? encoding : callback) as (() => void) | undefined;
  const bytes =
    typeof chunk === "string" && typeof encoding === "string" ? Buffer.from(chunk, encoding) : chunk;
  writeStderr(bytes, done);
  return true;
}

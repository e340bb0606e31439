import { UsageError } from "../../errors.ts";
import type { OutputGuard } from "../../transports/stdio/server-pipe.ts";
import { writeStderr } from "../../transports/stdio/write-stderr.ts";

type Write = typeof process.stdout.write;

let guarded = false;
const ignore = (): void => {};

/**
 * Redirects to stderr everything this process writes to stdout, `console.log` included.
 *
 * Stdout may carry only messages: basic/transports#stdio (2025-11-25). Writes that bypass
 * `process.stdout` can't be caught: those to file descriptor 1, and those of children that inherit it.
 */
export function guardStdout(): OutputGuard {
  if (guarded) throw new UsageError("Standard output is already served by this process.");
  const { stdout } = process;
  const own = Object.getOwnPropertyDescriptor(stdout, "write");
  const real: Write = stdout.write.bind(stdout);
  // Other code may wrap and keep this function, so it must work after the guard has been restored.
  const divert = (...args: Parameters<Write>): boolean => (guarded ? writeToStderr(args) : real(...args));
  guarded = true;
  stdout.write = divert as Write;
  // A broken stderr must not end the server.
  process.stderr.on("error", ignore);
  return {
    write: (text, done) => void real(text, done),
    restore: () => {
      guarded = false;
      process.stderr.off("error", ignore);
      if (stdout.write !== divert) return;
      if (own) Object.defineProperty(stdout, "write", own);
      else Reflect.deleteProperty(stdout, "write");
    },
  };
}

/** Always reports room: a writer that waits would wait for stdout to drain, not stderr. */
function writeToStderr([chunk, encoding, callback]: Parameters<Write>): boolean {
  const done = (typeof encoding === "function" ? encoding : callback) as (() => void) | undefined;
  const bytes =
    typeof chunk === "string" && typeof encoding === "string" ? Buffer.from(chunk, encoding) : chunk;
  writeStderr(bytes, done);
  return true;
}

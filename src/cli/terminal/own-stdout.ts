import type { Writable } from "node:stream";

export interface OwnStdout<Stream> {
  /** The stream, for the command alone. */
  readonly stream: Stream;
  restore(): void;
}

let isOwned = false;

/**
 * Sends to `stderr` what other code of this process, such as a module, writes to standard output with `console.log`:
 * what the command writes there is read by programs.
 */
export function ownStdout<Stream extends Writable>(stdout: Stream, stderr: Writable): OwnStdout<Stream> {
  if (isOwned) return { stream: stdout, restore: () => {} };
  isOwned = true;
  const shared = process.stdout;
  const own = Object.getOwnPropertyDescriptor(shared, "write");
  const write = stdout.write.bind(stdout);
  shared.write = ((...given: Parameters<Writable["write"]>) => {
    stderr.write(...given);
    // A writer that waits would wait for stdout to drain, not stderr.
    return true;
  }) as typeof shared.write;
  return {
    stream: new Proxy(stdout, { get: (target, key) => (key === "write" ? write : Reflect.get(target, key)) }),
    restore: () => {
      isOwned = false;
      if (own) Object.defineProperty(shared, "write", own);
      else Reflect.deleteProperty(shared, "write");
    },
  };
}

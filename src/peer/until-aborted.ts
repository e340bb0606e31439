import { toCancelled } from "./in-flight.ts";

/** Stops waiting for work that may take no notice of the signal. */
export async function untilAborted<T>(
  work: Promise<T>,
  what: string,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return work;
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(toCancelled(what, signal.reason));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

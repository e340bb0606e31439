/** The outcome of work that may ignore the signal; rejects as soon as the signal aborts. */
export async function orAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  toError: (reason: unknown) => unknown = (reason) => reason,
): Promise<T> {
  if (signal === undefined) return work;
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(toError(signal.reason));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/**
 * Resolves after a time, or when it is woken; rejects with the reason of the signal as soon as that aborts.
 *
 * `onWake` receives the function that ends the sleep early.
 */
export function sleep(ms: number, signal?: AbortSignal, onWake?: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      settle();
    };
    const onAbort = () => end(() => reject(signal?.reason));
    const timer = setTimeout(() => end(resolve), ms);
    signal?.addEventListener("abort", onAbort, { once: true });
    onWake?.(() => end(resolve));
  });
}

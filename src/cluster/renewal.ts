import { runLater } from "../lib/async/timers.ts";

/** The time after which a renewal that failed is tried again. */
const retryMs = 500;

/** Renews something in the store before it expires, and soon after the store is back. Returns the function that ends it. */
export function keepRenewing(renew: () => Promise<void>, everyMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isEnded = false;
  const renewNow = async () => {
    const nextMs = await renew().then(
      () => everyMs,
      () => retryMs,
    );
    if (!isEnded) timer = runLater(() => void renewNow(), nextMs);
  };
  void renewNow();
  return () => {
    isEnded = true;
    clearTimeout(timer);
  };
}

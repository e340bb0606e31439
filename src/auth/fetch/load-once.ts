/** Pause after a failed load before the next attempt. */
const retryMs = 1_000;

/** Loads a value once and keeps it. A load that failed is repeated, but not before a pause. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  let failedAt = Number.POSITIVE_INFINITY;
  return () => {
    if (loaded && Date.now() - failedAt < retryMs) return loaded;
    failedAt = Number.POSITIVE_INFINITY;
    loaded = load();
    loaded.catch(() => {
      failedAt = Date.now();
    });
    return loaded;
  };
}

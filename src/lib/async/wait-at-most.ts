/** The outcome of a promise, or what `onLate` returns or throws when the time is up first. */
export async function waitAtMost<T, Late>(
  ms: number,
  promise: Promise<T>,
  onLate: () => Late,
): Promise<T | Late> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Late>((resolve) => {
    timer = setTimeout(() => resolve(Promise.resolve().then(onLate)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves to whether a promise is fulfilled in time; rejects when the promise does. */
export function settlesWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  return waitAtMost(
    ms,
    promise.then(() => true),
    () => false,
  );
}

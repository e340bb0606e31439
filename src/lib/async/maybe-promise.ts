/** A value that is given at once, or later. */
export type MaybePromise<T> = T | Promise<T>;

/** True for a promise, and for the thenables that some libraries use in its place. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | null)?.then === "function";
}

/** Takes the next step with a value: at once when it is there, because a promise takes time. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isPromise(value) ? value.then(next) : next(value);
}

/**
 * Takes a step, then the next one with its value. An error of either goes to `onError`, whether it is thrown
 * now or later. Where only the first waits, one promise is made for all.
 */
export function attempt<T, R>(
  first: () => MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
  onError: (error: unknown) => MaybePromise<R>,
): MaybePromise<R> {
  let value: MaybePromise<T>;
  try {
    value = first();
  } catch (error) {
    return onError(error);
  }
  if (isPromise(value)) return value.then((later) => attemptWith(later, next, onError), onError);
  return attemptWith(value, next, onError);
}

function attemptWith<T, R>(
  value: T,
  step: (value: T) => MaybePromise<R>,
  onError: (error: unknown) => MaybePromise<R>,
): MaybePromise<R> {
  try {
    const result = step(value);
    return isPromise(result) ? result.then(undefined, onError) : result;
  } catch (error) {
    return onError(error);
  }
}

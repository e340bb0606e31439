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

/** Takes a step, and another one with its error, whether that is thrown now or later. */
export function recover<T>(
  step: () => MaybePromise<T>,
  onError: (error: unknown) => MaybePromise<T>,
): MaybePromise<T> {
  try {
    const value = step();
    return isPromise(value) ? value.then(undefined, onError) : value;
  } catch (error) {
    return onError(error);
  }
}

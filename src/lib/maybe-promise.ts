/** A value that is given at once, or later. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether a value comes later: a promise, or what a library uses in its place. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | null)?.then === "function";
}

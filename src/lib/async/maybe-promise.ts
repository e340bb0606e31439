/** A value that is given at once, or later. */
export type MaybePromise<T> = T | Promise<T>;

/** True for a promise, and for the thenables that some libraries use in its place. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | null)?.then === "function";
}

/** What a store may give at once, or later. */
export type MaybePromise<T> = T | Promise<T>;

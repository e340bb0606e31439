/** What a store may give at once, or later. */
export type Soon<T> = T | Promise<T>;

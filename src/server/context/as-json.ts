/** The type of a value after it was written as JSON and parsed again. */
export type AsJson<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends { toJSON(): infer Json }
    ? AsJson<Json>
    : T extends bigint | symbol | ((...args: never) => unknown)
      ? never
      : T extends object
        ? { -readonly [Key in keyof T]: AsJson<T[Key]> }
        : T;

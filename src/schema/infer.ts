import type { Shape } from "./shape.ts";
import type { StandardInput, StandardOutput, StandardSchema } from "./standard-schema.ts";

/** The type of a value after its validation. */
export type InferOutput<S> = S extends StandardSchema
  ? StandardOutput<S>
  : S extends Shape
    ? InferShape<{ [K in keyof S]: StandardOutput<S[K]> }>
    : Record<string, unknown>;

/** The type that a caller must send. */
export type InferInput<S> = S extends StandardSchema
  ? StandardInput<S>
  : S extends Shape
    ? InferShape<{ [K in keyof S]: StandardInput<S[K]> }>
    : Record<string, unknown>;

/** A property may be absent where its schema takes undefined. */
type InferShape<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: T[K];
};

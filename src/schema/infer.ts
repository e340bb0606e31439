import type { StandardSchemaV1 } from "@standard-schema/spec";

type ShapeLike = { readonly [key: string]: StandardSchemaV1 };

/** What a value is once it has been validated. */
export type InferOutput<S> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<S>
  : S extends ShapeLike
    ? InferShape<{ [K in keyof S]: StandardSchemaV1.InferOutput<S[K]> }>
    : Record<string, unknown>;

/** What a caller must send. */
export type InferInput<S> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<S>
  : S extends ShapeLike
    ? InferShape<{ [K in keyof S]: StandardSchemaV1.InferInput<S[K]> }>
    : Record<string, unknown>;

/** A property may be absent where its schema takes undefined. */
type InferShape<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: T[K];
};

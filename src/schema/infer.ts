import type { StandardSchemaV1 } from "@standard-schema/spec";

/** What a value is once it has been validated. */
export type InferOutput<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? Side<T, "output">
  : S extends { readonly [key: string]: StandardSchemaV1 }
    ? InferShape<S, "output">
    : Record<string, unknown>;

/** What a caller must send. */
export type InferInput<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? Side<T, "input">
  : S extends { readonly [key: string]: StandardSchemaV1 }
    ? InferShape<S, "input">
    : Record<string, unknown>;

type Side<T, D extends "input" | "output"> =
  NonNullable<T> extends { readonly [K in D]: infer V } ? V : unknown;

type Member<S, D extends "input" | "output"> = S extends {
  readonly "~standard": { readonly types?: infer T };
}
  ? Side<T, D>
  : unknown;

/** A property may be absent where its schema takes undefined. */
type InferShape<S, D extends "input" | "output"> = {
  [K in keyof S as undefined extends Member<S[K], D> ? never : K]: Member<S[K], D>;
} & {
  [K in keyof S as undefined extends Member<S[K], D> ? K : never]?: Member<S[K], D>;
};

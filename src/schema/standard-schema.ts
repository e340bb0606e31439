/**
 * A schema of any library that follows the Standard Schema convention, version 1.
 *
 * The convention is these few types; written out here, they spare users a package.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Never there at run time. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What libraries add that convert their schemas themselves. */
export interface StandardConverter {
  readonly vendor: string;
  readonly jsonSchema?: {
    readonly [direction in "input" | "output"]: (options: {
      readonly target: "draft-2020-12";
      readonly libraryOptions?: Record<string, unknown> | undefined;
    }) => Record<string, unknown>;
  };
}

type TypesOf<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>;

export type StandardInput<S extends StandardSchema> = TypesOf<S>["input"];
export type StandardOutput<S extends StandardSchema> = TypesOf<S>["output"];

/** The argument that is completed: of a prompt, or a variable of a URI template. */
export type CompletionReference =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string };

/** Values that an argument may have. */
export interface Completion {
  readonly values: readonly string[];
  /** The number of all values, if that is known. */
  readonly total?: number;
  readonly hasMore?: boolean;
}

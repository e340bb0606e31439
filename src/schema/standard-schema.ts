import { isPromise } from "../lib/async/maybe-promise.ts";
import { maxIssues, toPath, type ValidationResult } from "../lib/text/issue.ts";

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

/** The addition of libraries that convert their schemas themselves (Standard JSON Schema). */
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

/** True for a schema of any library that implements Standard Schema; some are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return false;
  const standard = (value as Partial<StandardSchema>)["~standard"];
  return typeof standard === "object" && typeof standard?.validate === "function";
}

/** Validates through the schema's own library; a promise only if the schema is asynchronous. */
export function validateStandardSchema(
  schema: StandardSchema,
  value: unknown,
): ValidationResult<unknown> | Promise<ValidationResult<unknown>> {
  const result = schema["~standard"].validate(value);
  return isPromise(result) ? result.then(toChecked) : toChecked(result);
}

/** The outcome of an absent value. A schema that can't decide at once needs the value. */
export function probeAbsent(schema: StandardSchema): {
  readonly accepts: boolean;
  readonly fills: boolean;
} {
  try {
    const result = schema["~standard"].validate(undefined);
    if (isPromise(result)) result.catch(() => {});
    else if (!result.issues) return { accepts: true, fills: result.value !== undefined };
  } catch {
    // A transform of the author's that can't take undefined.
  }
  return { accepts: false, fills: false };
}

function toChecked(result: StandardResult<unknown>): ValidationResult<unknown> {
  if (!result.issues) return { ok: true, value: result.value };
  const issues = result.issues.slice(0, maxIssues).map(({ path = [], message }) => ({
    path: toPath(path.map((part) => (typeof part === "object" ? part.key : part))),
    message,
  }));
  return { ok: false, issues };
}

import { maxIssues, toPath, type ValidationResult } from "./issue.ts";
import type { StandardResult, StandardSchema } from "./standard-schema.ts";

type Result = StandardResult<unknown>;

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

export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | null)?.then === "function";
}

/** What a schema makes of an absent value. A schema that can't say at once needs the value. */
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

function toChecked(result: Result): ValidationResult<unknown> {
  if (!result.issues) return { ok: true, value: result.value };
  const issues = result.issues.slice(0, maxIssues).map(({ path = [], message }) => ({
    path: toPath(path.map((part) => (typeof part === "object" ? part.key : part))),
    message,
  }));
  return { ok: false, issues };
}

import type { MaybePromise } from "../lib/async/maybe-promise.ts";
import { callPart } from "../lib/async/on-demand.ts";
import type { ValidationResult } from "../lib/text/issue.ts";
import type { JsonSchema } from "./json-schema.ts";
import { defaultBudgets } from "./validator/budget.ts";
import { readDocument } from "./validator/document-check.ts";
import { nativePattern } from "./validator/pattern.ts";
import type { Validator } from "./validator/validator.ts";

/** Loaded with the first value: most servers of schemas of a library never need it, and all start faster without. */
const validators = /* @__PURE__ */ callPart(() => import("./validator/validator.ts"));

/** Loads the validator before there is a value for it. A failure is left to the first value, which loads it again. */
export function loadValidator(): void {
  validators.tryUse(
    () => {},
    () => {},
  );
}

/** Throws `SchemaRefusedError` for a JSON Schema of this program's author that can't be used. */
export function assertUsable(schema: JsonSchema): void {
  readDocument(schema, defaultBudgets.own, nativePattern);
}

/** Validates by a JSON Schema of this program's author, which is compiled with the first value; at once after that. */
export function validateBy(schema: JsonSchema): (value: unknown) => MaybePromise<ValidationResult<unknown>> {
  let validator: Validator | undefined;
  return (value) => {
    if (validator) return validator.validate(value);
    return validators.use(({ compileValidator }) => {
      validator ??= compileValidator(schema, { trust: "own" });
      return validator.validate(value);
    });
  };
}

import { nextTurn } from "../lib/async/yield-turn.ts";
import { jsonSize } from "../lib/json-size.ts";
import type { ValidationResult } from "../lib/text/issue.ts";
import { SchemaRefusedError } from "./error.ts";
import type { JsonSchema } from "./json-schema.ts";
import { assertUsable, validateBy } from "./validate-json.ts";

type Validate = (value: unknown) => ValidationResult<unknown> | Promise<ValidationResult<unknown>>;

/** The size from which a value is checked within a budget first. */
const largeSize = 64 * 1024;

/**
 * Checks a large value against the JSON Schema that callers were given, within a budget of steps and with few
 * issues, before the library of the author sees it: some make an issue for each of a million items, which
 * takes seconds.
 */
export function withBudget(jsonSchema: JsonSchema, validate: Validate): Validate {
  let budgeted: Validate | undefined;
  return (value) => {
    if (!isLarge(value)) return validate(value);
    budgeted ??= toBudgeted(jsonSchema);
    return validateInTurns(value, [budgeted, validate]);
  };
}

/** Applies each check in a turn of its own, so that others get theirs in between; each may take long. */
async function validateInTurns(
  value: unknown,
  checks: readonly Validate[],
): Promise<ValidationResult<unknown>> {
  let checked: ValidationResult<unknown> = { ok: true, value };
  for (const check of checks) {
    await nextTurn();
    checked = await check(value);
    if (!checked.ok) return checked;
  }
  await nextTurn();
  return checked;
}

/** Looks at the members of a value only where some of them have members of their own: long texts are checked fast. */
function isLarge(value: unknown): boolean {
  for (const key in value as object) {
    const member = (value as { readonly [key: string]: unknown })[key];
    if (typeof member === "object" && member !== null) return jsonSize(value, largeSize) > largeSize;
  }
  return false;
}

/** A schema that the validator refuses is left to the author's library. */
function toBudgeted(jsonSchema: JsonSchema): Validate {
  try {
    assertUsable(jsonSchema);
    return validateBy(jsonSchema);
  } catch (error) {
    if (!(error instanceof SchemaRefusedError)) throw error;
    return (value) => ({ ok: true, value });
  }
}

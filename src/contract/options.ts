import { UsageError } from "../errors.ts";
import { findOptionProblem, type OptionKind } from "../lib/option-check.ts";
import { describeValue } from "../lib/text/describe-value.ts";

export type { OptionKinds } from "../lib/option-check.ts";

/** Throws UsageError for options that are misspelled or have the wrong type. `what` is the function that takes them. */
export function assertOptions(
  what: string,
  options: unknown,
  kinds: { readonly [name: string]: OptionKind },
): void {
  const problem = findOptionProblem(what, options, kinds);
  if (problem !== undefined) throw new UsageError(problem);
}

export function assertFunction(what: string, given: unknown): void {
  if (typeof given !== "function")
    throw new UsageError(`${what} takes a function, not ${describeValue(given)}.`);
}

export function assertString(what: string, given: unknown): void {
  if (typeof given !== "string") throw new UsageError(`${what} takes a string, not ${describeValue(given)}.`);
}

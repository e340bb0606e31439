import { InvalidOutputError, RegistrationError } from "../../errors.ts";
import { describeValue } from "../../lib/describe-value.ts";
import { didYouMean } from "../../lib/did-you-mean.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Completion } from "../../protocol/model/completion.ts";
import type { Context } from "../context/context.ts";

/** Suggests values for a partly typed argument; `ctx.others` are the arguments that the user already filled in. */
export type Completer = (
  value: string,
  ctx: Context & { readonly others: { readonly [name: string]: string } },
) => readonly string[] | Completion | Promise<readonly string[] | Completion>;

// server/utilities/completion#completion-results (2025-11-25)
const maxValues = 100;

/** Throws RegistrationError for a completer of an argument that does not exist, or that is not a function. */
export function assertCompleters(what: string, complete: object | undefined, names: readonly string[]): void {
  for (const [name, completer] of Object.entries(complete ?? {})) {
    if (!names.includes(name)) {
      const hint = didYouMean(name, names) || `; there are ${names.join(", ") || "none"}.`;
      throw new RegistrationError(`${what} completes "${name}", which it does not have${hint}`);
    }
    if (completer !== undefined && typeof completer !== "function") {
      const given = describeValue(completer);
      throw new RegistrationError(`${what} must complete "${name}" by a function, not ${given}.`);
    }
  }
}

/** Makes a `completion/complete` result of a completer's return value. */
export function toCompleteResult(name: string, given: unknown): JsonObject {
  const completion = (isObject(given) ? given : { values: given }) as unknown as Completion;
  const values: unknown = completion.values;
  if (!Array.isArray(values) || !values.every(isString)) {
    const wrong: unknown = Array.isArray(values) ? values.find((value) => !isString(value)) : given;
    throw new InvalidOutputError(
      `The completer of "${name}" must return strings, or { values } of strings, not ${describeValue(wrong)}.`,
    );
  }
  const shown = values.slice(0, maxValues);
  const total = completion.total ?? completion.values.length;
  return { completion: { values: shown, total, hasMore: completion.hasMore ?? total > shown.length } };
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

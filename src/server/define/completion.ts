import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Completion } from "../../protocol/model/completion.ts";
import type { Context } from "../context/context.ts";

/** Suggests values for what was typed so far; `others` are the arguments that are filled in already. */
export type Completer = (
  value: string,
  ctx: Context & { readonly others: { readonly [name: string]: string } },
) => readonly string[] | Completion | Promise<readonly string[] | Completion>;

// The most that any revision lets a server send.
const maxValues = 100;

/** The `completion/complete` result for what a completer gave. */
export function toCompleteResult(given: readonly string[] | Completion): JsonObject {
  const completion = isObject(given) ? (given as Completion) : { values: given as readonly string[] };
  const values = completion.values.slice(0, maxValues);
  const total = completion.total ?? completion.values.length;
  return { completion: { values, total, hasMore: completion.hasMore ?? total > values.length } };
}

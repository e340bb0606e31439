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

/** Makes a `completion/complete` result of a completer's return value. */
export function toCompleteResult(given: readonly string[] | Completion): JsonObject {
  const completion = isObject(given) ? (given as Completion) : { values: given as readonly string[] };
  const values = completion.values.slice(0, maxValues);
  const total = completion.total ?? completion.values.length;
  return { completion: { values, total, hasMore: completion.hasMore ?? total > values.length } };
}

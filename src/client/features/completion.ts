import { InvalidResponseError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Completion } from "../../protocol/model/completion.ts";

/** Reads the answer to `completion/complete`. */
export function toCompletion({ completion }: JsonObject): Completion {
  if (!isObject(completion) || !Array.isArray(completion.values))
    throw new InvalidResponseError("completion/complete was answered without values.");
  const { total, hasMore } = completion;
  return {
    values: completion.values.filter((value) => typeof value === "string"),
    ...(typeof total === "number" && { total }),
    ...(typeof hasMore === "boolean" && { hasMore }),
  };
}

import { InvalidResponseError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";

/** What is being completed: an argument of a prompt, or a variable of a URI template. */
export type CompletionReference =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string };

export interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

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

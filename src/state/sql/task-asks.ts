import type { JsonObject } from "../../lib/json.ts";

/** The questions of a task and their answers, by key. */
export interface TaskAsks {
  readonly asks: JsonObject;
  readonly answers: JsonObject;
}

/** The questions that were not answered before. */
export function withoutAnswered(asks: JsonObject, answers: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(asks).filter(([key]) => !Object.hasOwn(answers, key)));
}

/** Takes the answers to what is asked; undefined when none of them is. */
export function takeAnswers({ asks, answers }: TaskAsks, given: JsonObject): TaskAsks | undefined {
  const taken = Object.entries(given).filter(([key]) => Object.hasOwn(asks, key));
  if (taken.length === 0) return undefined;
  const all = Object.fromEntries([...Object.entries(answers), ...taken]);
  return { asks: withoutAnswered(asks, all), answers: all };
}

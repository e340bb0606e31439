import type { JsonObject } from "../../../lib/json.ts";

/**
 * The name of a question on the wire, which no answered question of this task has had.
 *
 * A question with an invalid answer is asked again as `key~2`. A tilde in the key itself is written
 * `~0`, so that two keys never get the same name.
 *
 * ext-tasks/tasks#task-update-requests (draft)
 */
export function toWireKey(key: string, answers: JsonObject): string {
  const first = key.replaceAll("~", "~0");
  let name = first;
  for (let at = 2; Object.hasOwn(answers, name); at++) name = `${first}~${at}`;
  return name;
}

/** The latest answer to each question, by the handler's own key. */
export function fromWireKeys(answers: JsonObject): JsonObject {
  const entries = Object.entries(answers).map(([name, answer]) => {
    const [, first = name, at = "1"] = /^(.*)~([1-9]\d*)$/s.exec(name) ?? [];
    return { key: first.replaceAll("~0", "~"), at: Number(at), answer };
  });
  entries.sort((a, b) => a.at - b.at);
  return Object.fromEntries(entries.map(({ key, answer }) => [key, answer]));
}

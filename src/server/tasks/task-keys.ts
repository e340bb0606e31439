import type { JsonObject } from "../../protocol/json.ts";

/**
 * A name for a question, which must never have been answered in this task before.
 *
 * An answer that did not fit is asked for again, under a name of its own.
 */
export function toWireKey(key: string, answers: JsonObject): string {
  let name = key;
  for (let at = 2; Object.hasOwn(answers, name); at++) name = `${key}~${at}`;
  return name;
}

/** The last answers by the names that the handler gave. */
export function byOwnKey(answers: JsonObject): JsonObject {
  const entries = Object.entries(answers).map(([name, answer]) => {
    const [, key = name, at = "1"] = /^(.*)~(\d+)$/.exec(name) ?? [];
    const isAgain = key !== name && Object.hasOwn(answers, key);
    return { key: isAgain ? key : name, at: isAgain ? Number(at) : 1, answer };
  });
  entries.sort((a, b) => a.at - b.at);
  return Object.fromEntries(entries.map(({ key, answer }) => [key, answer]));
}

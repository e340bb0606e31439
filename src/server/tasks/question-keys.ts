import type { JsonObject } from "../../lib/json.ts";

/**
 * A name for a question, which must never have been answered in this task before.
 *
 * An answer that did not fit is asked for again, under a name of its own: `key~2`. A tilde
 * of the key itself is written `~0`, so that no other key has that name.
 */
export function toWireKey(key: string, answers: JsonObject): string {
  const first = key.replaceAll("~", "~0");
  let name = first;
  for (let at = 2; Object.hasOwn(answers, name); at++) name = `${first}~${at}`;
  return name;
}

/** The last answers by the names that the handler gave. */
export function fromWireKeys(answers: JsonObject): JsonObject {
  const entries = Object.entries(answers).map(([name, answer]) => {
    const [, first = name, at = "1"] = /^(.*)~([1-9]\d*)$/s.exec(name) ?? [];
    return { key: first.replaceAll("~0", "~"), at: Number(at), answer };
  });
  entries.sort((a, b) => a.at - b.at);
  return Object.fromEntries(entries.map(({ key, answer }) => [key, answer]));
}

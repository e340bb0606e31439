import { isObject } from "./json.ts";

/** A text that two JSON values share exactly when they differ in nothing but the order of keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member) => (isObject(member) ? sorted(member) : member)) ?? "";
}

function sorted(object: object): object {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

import { isObject, type JsonObject } from "../../lib/json.ts";

/** The JSON object in the body of a response; undefined for any other body. */
export async function readJsonObject(response: Response): Promise<JsonObject | undefined> {
  try {
    const value: unknown = JSON.parse(await response.text());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function toStringList(value: unknown, max = 100): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((item): item is string => typeof item === "string").slice(0, max);
}

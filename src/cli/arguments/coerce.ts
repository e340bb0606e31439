import type { JsonObject } from "../../lib/json.ts";
import { typesOf } from "./schema-view.ts";

/**
 * The value that a text on the command line stands for, by the schema's types. A text that none of them fits stays
 * a text, so that the schema's own check explains what is wrong.
 */
export function coerceText(text: string, schema: JsonObject, root: JsonObject = schema): unknown {
  const types = typesOf(schema, root);
  if (types.has("boolean") && (text === "true" || text === "false")) return text === "true";
  if (types.has("null") && text === "null") return null;
  if ((types.has("number") || types.has("integer")) && isNumber(text)) return Number(text);
  if (types.has("array") && text.trimStart().startsWith("[")) return parseOr(text);
  if (types.has("object") && text.trimStart().startsWith("{")) return parseOr(text);
  return text;
}

function isNumber(text: string): boolean {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text.trim());
}

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON after all: the check of the schema reports it.
    return text;
  }
}

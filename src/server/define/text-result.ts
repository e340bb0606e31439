import type { JsonObject } from "../../lib/json.ts";

export function textResult(text: string): JsonObject {
  return { content: [{ type: "text", text }] };
}

export function errorResult(text: string): JsonObject {
  return { ...textResult(text), isError: true };
}

import type { CallToolResult } from "allspeak";

/** All text of a result. */
export function readText({ content }: Pick<CallToolResult, "content">): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** The JSON that a result has as its text. */
export function readJson(result: Pick<CallToolResult, "content">): unknown {
  return JSON.parse(readText(result));
}

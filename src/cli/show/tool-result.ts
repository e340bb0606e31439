import { isDeepStrictEqual } from "node:util";
import type { ToolResult } from "allspeak/client";
import { isObject } from "../../lib/json.ts";
import { ContentWriter, type ContentWriterOptions } from "./content.ts";
import { toShownJson } from "./escape.ts";

/** Shows the result of a tool for people, once: text that repeats the structured content, or is all of it, is not shown twice. */
export async function showToolResult(
  result: ToolResult<unknown>,
  options: ContentWriterOptions,
): Promise<void> {
  const { terminal } = options;
  const { content, structuredContent, isError } = result;
  if (isError) terminal.note(terminal.notePaint.red("The tool failed:"));
  const writer = new ContentWriter(options);
  const isRepeated = (text: string) => structuredContent !== undefined && repeats(text, structuredContent);
  for (const block of content) {
    if (block.type !== "text" || !isRepeated(block.text)) await writer.write(block);
  }
  const isWrapped = content.some(
    (block) => block.type === "text" && isWrappedBy(structuredContent, block.text),
  );
  if (structuredContent !== undefined && !isWrapped) terminal.print(toShownJson(structuredContent));
  else if (content.length === 0) terminal.note(terminal.notePaint.dim("The result is empty."));
}

/** True for an object whose only member is the text. */
function isWrappedBy(structured: unknown, text: string): boolean {
  const [value, ...others] = isObject(structured) ? Object.values(structured) : [];
  return value === text && others.length === 0;
}

function repeats(text: string, value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), value);
  } catch {
    // Not JSON, so it has something to add.
    return false;
  }
}

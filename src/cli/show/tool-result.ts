import { isDeepStrictEqual } from "node:util";
import type { ToolResult } from "allspeak/client";
import { type ContentOptions, ContentWriter } from "./content.ts";
import { toShownJson } from "./escape.ts";

/** Shows the result of a tool for people; structured content once, where the text only repeats it. */
export async function showToolResult(result: ToolResult<unknown>, options: ContentOptions): Promise<void> {
  const { terminal } = options;
  const { content, structuredContent, isError } = result;
  if (isError) terminal.note(terminal.notePaint.red("The tool failed:"));
  const writer = new ContentWriter(options);
  const isRepeated = (text: string) => structuredContent !== undefined && repeats(text, structuredContent);
  for (const block of content) {
    if (block.type !== "text" || !isRepeated(block.text)) await writer.write(block);
  }
  if (structuredContent !== undefined) terminal.print(toShownJson(structuredContent));
  else if (content.length === 0) terminal.note(terminal.notePaint.dim("The result is empty."));
}

function repeats(text: string, value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), value);
  } catch {
    // Not JSON, so it says something of its own.
    return false;
  }
}

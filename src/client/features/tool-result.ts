import { InvalidResponseError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { checkContent } from "../../protocol/check/model-check.ts";
import type { ToolResult } from "./tool-types.ts";
import type { ValidItems } from "./valid-items.ts";

/** The result of a call, without the items of its content that are invalid. */
export function readToolResult(result: JsonObject, validItems: ValidItems): ToolResult<unknown> {
  const { content } = result;
  if (content === undefined && result.structuredContent === undefined)
    throw new InvalidResponseError("tools/call was answered without content.");
  const kept = validItems.pick(content ?? [], checkContent, "tools/call: content");
  return (kept === content ? result : { ...result, content: kept }) as unknown as ToolResult<unknown>;
}

import { InvalidOutputError } from "../../../errors.ts";
import { andThen, type MaybePromise } from "../../../lib/async/maybe-promise.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { describeValue } from "../../../lib/text/describe-value.ts";
import { didYouMean } from "../../../lib/text/did-you-mean.ts";
import { checkContent, contentKinds, isKnownContent } from "../../../protocol/check/model-check.ts";
import type { ContentBlock } from "../../../protocol/model/content.ts";
import type { CallToolResult } from "../../../protocol/model/tool.ts";
import { toDataText } from "../../define/data-text.ts";
import type { CompiledTool } from "../../define/tool.ts";
import { checkToolOutput } from "./check-output.ts";

/** Makes a `tools/call` result of a handler's return value, unless it is only text, or asks for another round. */
export function toToolResult(tool: CompiledTool, returned: unknown): MaybePromise<JsonObject> {
  if (isTask(returned)) return returned;
  if (isFullResult(tool, returned)) return completeResult(tool, returned);
  if (tool.output) return structure(tool, returned, []);
  return { content: toContent(tool, returned) };
}

/** True for the result that the library itself returns for a call that became a task. */
function isTask(returned: unknown): returned is JsonObject {
  return isObject(returned) && returned.resultType === "task";
}

function completeResult(tool: CompiledTool, result: Partial<CallToolResult>): MaybePromise<JsonObject> {
  const content = result.content ?? [];
  assertContent(tool, content);
  if (tool.output === undefined || result.isError) return { ...result, content };
  if (result.structuredContent === undefined) {
    throw new InvalidOutputError(
      `Tool "${tool.listed.name}" returned no structuredContent but declares an output schema; return { structuredContent } or drop the schema.`,
    );
  }
  return andThen(structure(tool, result.structuredContent, content), (structured) => ({
    ...result,
    ...structured,
  }));
}

/** Checks structured content and adds it as text for older clients: server/tools#structured-content (2025-11-25). */
function structure(
  tool: CompiledTool,
  value: unknown,
  content: readonly ContentBlock[],
): MaybePromise<JsonObject> {
  return andThen(checkToolOutput(tool, value), (checked) => ({
    content: content.length > 0 ? content : [{ type: "text", text: toDataText(nameOf(tool), checked.value) }],
    structuredContent: checked.value,
  }));
}

function toContent(tool: CompiledTool, returned: unknown): readonly ContentBlock[] {
  if (returned === undefined) return [];
  if (isObject(returned) && returned.isError === true) {
    throw new InvalidOutputError(
      `${nameOf(tool)} returned isError without a list of content; throw new ToolError("…"), or return { content: [text("…")], isError: true }.`,
    );
  }
  if (isObject(returned) && "content" in returned && Object.keys(returned).every(isResultMember)) {
    throw new InvalidOutputError(
      `${nameOf(tool)} returned a result whose content is not a list of content; return { content: [text("…")] }, or only the text.`,
    );
  }
  const blocks = Array.isArray(returned) ? returned : [returned];
  const isContent = blocks.every((block) => isKnownContent(block) || isMisspelledContent(block));
  // Other objects with a `type` are data. So is an empty list: a model should read that nothing was found.
  if (!isContent || blocks.length === 0) return [{ type: "text", text: toDataText(nameOf(tool), returned) }];
  assertContent(tool, blocks);
  return blocks as readonly ContentBlock[];
}

/** Throws InvalidOutputError for content that clients would drop or refuse. */
function assertContent(tool: CompiledTool, content: readonly unknown[]): void {
  for (let at = 0; at < content.length; at++) {
    const block = content[at];
    // The usual case, first and without a call.
    if (isObject(block) && block.type === "text" && typeof block.text === "string") continue;
    const problem = checkContent(block) ?? findMisspelledKind(block);
    if (problem === undefined) continue;
    throw new InvalidOutputError(
      `${nameOf(tool)} returned content that can't be sent: content[${at}]${problem}${problem.endsWith("?") ? "" : "."}`,
    );
  }
}

/** The problem of a misspelled kind. Others that no revision has are between the two programs. */
function findMisspelledKind(block: unknown): string | undefined {
  if (!isObject(block) || isKnownContent(block)) return undefined;
  const hint = didYouMean(String(block.type), contentKinds);
  return hint === "" ? undefined : `.type ${describeValue(block.type)} is not a kind of content${hint}`;
}

/** True for an object that would be whole content, and nothing else, if its kind were written right. */
function isMisspelledContent(block: unknown): boolean {
  if (!isObject(block) || findMisspelledKind(block) === undefined) return false;
  if (!Object.keys(block).every((name) => contentMembers.has(name))) return false;
  return contentKinds.some((type) => checkContent({ ...block, type }) === undefined);
}

/** The members of all kinds of content. */
const contentMembers: ReadonlySet<string> = new Set([
  ...["type", "text", "data", "mimeType", "resource", "annotations", "_meta"],
  ...["uri", "name", "title", "description", "size", "icons"],
]);

function nameOf(tool: CompiledTool): string {
  return `Tool "${tool.listed.name}"`;
}

function isFullResult(tool: CompiledTool, value: unknown): value is Partial<CallToolResult> {
  if (!isObject(value)) return false;
  if ("structuredContent" in value) return true;
  // If the output schema itself has a `content`, the value is plain data and not a result.
  const properties = tool.output?.jsonSchema.properties;
  if (isObject(properties) && Object.hasOwn(properties, "content")) return false;
  return Array.isArray(value.content) && value.content.every(hasType);
}

/** True for the names of a complete result: an object of no others is meant as one, and is not data. */
function isResultMember(name: string): boolean {
  return name === "content" || name === "isError" || name === "_meta";
}

function hasType(value: unknown): boolean {
  return isObject(value) && typeof value.type === "string";
}

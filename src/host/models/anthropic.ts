import type { CallToolResult } from "../../protocol/model/tool.ts";
import type { ModelTool } from "../catalog/host-tool.ts";
import { toDescription } from "./description.ts";
import { fitSchema } from "./fit-schema.ts";
import { imageTypes, type ResultOptions, toParts } from "./result-parts.ts";
import { schemaProfiles } from "./schema-profile.ts";

/** A tool for the messages of Anthropic. */
export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: { type: "object"; properties?: unknown; required?: string[]; [keyword: string]: unknown };
}

type AnthropicImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

export type AnthropicContent =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: AnthropicImageType; data: string } }
  | { type: "document"; source: { type: "base64"; media_type: "application/pdf"; data: string } };

/** The block that answers a `tool_use`. */
export interface AnthropicResult {
  type: "tool_result";
  tool_use_id: string;
  content: AnthropicContent[];
  is_error?: boolean;
}

const taken: readonly string[] = [...imageTypes, "application/pdf"];

/** Tools in the form of Anthropic's API. */
export function toAnthropicTools(tools: readonly ModelTool[]): AnthropicTool[] {
  return tools.map(({ name, description, title, inputSchema }) => ({
    name,
    description: toDescription(description, title, schemaProfiles.anthropic.maxDescription),
    input_schema: fitSchema(inputSchema, "anthropic").schema,
  }));
}

/** The answer to a `tool_use` block. Images and PDF files stay what they are; audio and other data are named. */
export function toAnthropicResult(
  toolUseId: string,
  result: CallToolResult,
  options?: ResultOptions,
): AnthropicResult {
  // A failure is text alone.
  const parts = toParts(result, result.isError ? [] : taken, options);
  const content = parts.map((part): AnthropicContent => {
    if (part.kind === "text") return { type: "text", text: part.text };
    const { data, mimeType } = part;
    return isImageType(mimeType)
      ? { type: "image", source: { type: "base64", media_type: mimeType, data } }
      : { type: "document", source: { type: "base64", media_type: "application/pdf", data } };
  });
  return { type: "tool_result", tool_use_id: toolUseId, content, ...(result.isError && { is_error: true }) };
}

function isImageType(mimeType: string): mimeType is AnthropicImageType {
  return imageTypes.includes(mimeType);
}

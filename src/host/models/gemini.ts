import type { CallToolResult } from "../../protocol/model/tool.ts";
import type { ModelTool } from "../catalog/host-tool.ts";
import { toDescription } from "./description.ts";
import { fitSchema } from "./fit-schema.ts";
import { defaultMaxChars, type ResultOptions, toParts } from "./result-parts.ts";
import { schemaProfiles } from "./schema-profile.ts";

/** The tools of a request to Gemini. */
export interface GeminiTool {
  functionDeclarations: { name: string; description: string; parametersJsonSchema: unknown }[];
}

export type GeminiPart =
  | { functionResponse: { id?: string; name: string; response: Record<string, unknown> } }
  | { inlineData: { mimeType: string; data: string } };

/** The function call of the model that is answered; `id` only where the model gave one. */
export interface GeminiCall {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

const taken: readonly string[] =
  "image/png image/jpeg image/webp image/heic image/heif audio/wav audio/mpeg audio/aiff audio/aac audio/ogg audio/flac video/mp4 video/mpeg video/webm video/3gpp application/pdf".split(
    " ",
  );

/** Tools in the form of Gemini's API. */
export function toGeminiTools(tools: readonly ModelTool[]): GeminiTool[] {
  if (tools.length === 0) return [];
  const functionDeclarations = tools.map(({ name, description, title, inputSchema }) => ({
    name,
    description: toDescription(description, title, schemaProfiles.gemini.maxDescription),
    parametersJsonSchema: fitSchema(inputSchema, "gemini").schema,
  }));
  return [{ functionDeclarations }];
}

/** The parts that answer a function call, for one content of the user. Images, audio and files follow the answer. */
export function toGeminiParts(
  call: GeminiCall,
  result: CallToolResult,
  options?: ResultOptions,
): GeminiPart[] {
  const parts = toParts(result, taken, options);
  const text = parts.map((part) => part.text).join("\n");
  const { id, name = "" } = call;
  const response = result.isError ? { error: text } : { output: dataOf(result, options) ?? text };
  const media = parts.flatMap((part): GeminiPart[] =>
    part.kind === "data" ? [{ inlineData: { mimeType: part.mimeType, data: part.data } }] : [],
  );
  return [{ functionResponse: { ...(id !== undefined && { id }), name, response } }, ...media];
}

/** The structured content, if it is not too long. */
function dataOf({ structuredContent }: CallToolResult, options: ResultOptions | undefined): unknown {
  if (structuredContent === undefined) return undefined;
  const text = JSON.stringify(structuredContent);
  return text.length <= (options?.maxChars ?? defaultMaxChars) ? structuredContent : undefined;
}

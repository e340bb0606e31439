import type { CallToolResult } from "../../protocol/model/tool.ts";
import type { ModelTool } from "../catalog/host-tool.ts";
import { toDescription } from "./description.ts";
import { fitSchema } from "./fit-schema.ts";
import { type DataPart, imageTypes, type ResultOptions, toParts } from "./result-parts.ts";
import { schemaProfiles } from "./schema-profile.ts";

/** A tool for OpenAI's chat completions. */
export interface OpenAIChatTool {
  type: "function";
  function: { name: string; description: string; parameters: { [keyword: string]: unknown } };
}

/** A tool for OpenAI's responses. */
export interface OpenAIResponsesTool {
  type: "function";
  name: string;
  description: string;
  parameters: { [keyword: string]: unknown };
  strict: false;
}

type ChatMediaPart =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: { url: string } }
  | { type: "input_audio"; input_audio: { data: string; format: "wav" | "mp3" } }
  | { type: "file"; file: { filename: string; file_data: string } };

/** The messages that answer the tool calls of one message of the model. */
export type OpenAIChatMessage =
  | { role: "tool"; tool_call_id: string; content: string }
  | { role: "user"; content: ChatMediaPart[] };

/** The item that answers a function call. */
export interface OpenAIResponsesResult {
  type: "function_call_output";
  call_id: string;
  output: (
    | { type: "input_text"; text: string }
    | { type: "input_image"; image_url: string; detail: "auto" }
    | { type: "input_file"; filename: string; file_data: string }
  )[];
}

/** A tool call of the model and its result. */
export interface AnsweredCall {
  /** The id of the call. */
  readonly id: string;
  readonly result: CallToolResult;
}

const takenInResponses: readonly string[] = [...imageTypes, "application/pdf"];
const takenInChats: readonly string[] = [...takenInResponses, "audio/wav", "audio/mpeg"];

/** Tools in the form of OpenAI's chat completions. */
export function toOpenAIChatTools(tools: readonly ModelTool[]): OpenAIChatTool[] {
  return tools.map((tool) => ({ type: "function", function: toFunction(tool) }));
}

/** Tools in the form of OpenAI's responses. Not strict: that mode refuses optional arguments. */
export function toOpenAIResponsesTools(tools: readonly ModelTool[]): OpenAIResponsesTool[] {
  return tools.map((tool) => ({ type: "function", ...toFunction(tool), strict: false }));
}

/**
 * The messages that answer all calls of one message of the model.
 *
 * A tool message holds text alone, so images, audio and PDF files follow in one message of the user, after all tool
 * messages: nothing else may come between them.
 */
export function toOpenAIChatMessages(
  calls: readonly AnsweredCall[],
  options?: ResultOptions,
): OpenAIChatMessage[] {
  const answers: OpenAIChatMessage[] = [];
  const media: ChatMediaPart[] = [];
  for (const { id, result } of calls) {
    const texts = toParts(result, takenInChats, options).map((part) => {
      if (part.kind === "data")
        media.push({ type: "text", text: `${part.text} of the tool call ${id}:` }, toChatMedia(part));
      return part.text;
    });
    answers.push({ role: "tool", tool_call_id: id, content: withError(result, texts.join("\n")) });
  }
  return media.length === 0 ? answers : [...answers, { role: "user", content: media }];
}

/** The answer to a function call of OpenAI's responses. Images and PDF files stay what they are. */
export function toOpenAIResponsesResult(
  callId: string,
  result: CallToolResult,
  options?: ResultOptions,
): OpenAIResponsesResult {
  const parts = toParts(result, takenInResponses, options);
  const output = parts.map((part): OpenAIResponsesResult["output"][number] => {
    if (part.kind === "text") return { type: "input_text", text: part.text };
    return imageTypes.includes(part.mimeType)
      ? { type: "input_image", image_url: toDataUrl(part), detail: "auto" }
      : { type: "input_file", filename: "file.pdf", file_data: toDataUrl(part) };
  });
  if (result.isError) output.unshift({ type: "input_text", text: "The tool failed:" });
  return { type: "function_call_output", call_id: callId, output };
}

function toFunction({ name, description, title, inputSchema }: ModelTool): OpenAIChatTool["function"] {
  // The notes about arguments are part of the tool's description, and must not be cut off.
  const { description: notes, ...parameters } = fitSchema(inputSchema, "openai").schema;
  const note = typeof notes === "string" && notes !== inputSchema.description ? ` ${notes}` : "";
  const max = schemaProfiles.openai.maxDescription;
  const kept = note.slice(0, max / 2);
  return { name, description: toDescription(description, title, max - kept.length) + kept, parameters };
}

function toChatMedia(part: DataPart): ChatMediaPart {
  switch (part.mimeType) {
    case "audio/wav":
      return { type: "input_audio", input_audio: { data: part.data, format: "wav" } };
    case "audio/mpeg":
      return { type: "input_audio", input_audio: { data: part.data, format: "mp3" } };
    case "application/pdf":
      return { type: "file", file: { filename: "file.pdf", file_data: toDataUrl(part) } };
    default:
      return { type: "image_url", image_url: { url: toDataUrl(part) } };
  }
}

function toDataUrl({ mimeType, data }: DataPart): string {
  return `data:${mimeType};base64,${data}`;
}

/** OpenAI has no mark for failures, so the text contains it. */
function withError({ isError }: CallToolResult, text: string): string {
  return isError ? `The tool failed: ${text}` : text;
}

import type { JsonObject } from "../../lib/json.ts";
import type { CallToolResult } from "../../protocol/model/tool.ts";
import type { ModelTool } from "../catalog/host-tool.ts";
import { toDescription } from "./description.ts";
import { fitSchema } from "./fit-schema.ts";
import { imageTypes, type ResultOptions, toParts } from "./result-parts.ts";
import { schemaProfiles } from "./schema-profile.ts";

/** A schema in the form that the AI SDK takes from any library (Standard Schema with JSON Schema). */
interface StandardJsonSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "allspeak";
    readonly validate: (value: unknown) => { readonly value: JsonObject };
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
}

type AiSdkContent =
  | { type: "text"; text: string }
  | { type: "image-data"; data: string; mediaType: string }
  | { type: "file-data"; data: string; mediaType: string };

export type AiSdkOutput = { type: "content"; value: AiSdkContent[] } | { type: "error-text"; value: string };

/** A tool for `generateText` and `streamText`. */
export interface AiSdkTool {
  description: string;
  inputSchema: StandardJsonSchema;
  execute: (input: JsonObject, options: { abortSignal?: AbortSignal | undefined }) => Promise<CallToolResult>;
  toModelOutput: (options: { output: CallToolResult }) => AiSdkOutput;
}

/** Runs a tool by the name that models see: a host does. */
export interface ToolCaller {
  call(name: string, args: JsonObject, options: { readonly signal?: AbortSignal }): Promise<CallToolResult>;
}

const taken: readonly string[] = [...imageTypes, "application/pdf", "audio/wav", "audio/mpeg"];

/** Tools of the AI SDK, by name; they run through the host. */
export function toAiSdkTools(
  tools: readonly ModelTool[],
  host: ToolCaller,
  options?: ResultOptions,
): { [name: string]: AiSdkTool } {
  return Object.fromEntries(tools.map((tool) => [tool.name, toAiSdkTool(tool, host, options)]));
}

function toAiSdkTool(tool: ModelTool, host: ToolCaller, options?: ResultOptions): AiSdkTool {
  const { name, description, title, inputSchema } = tool;
  const { schema } = fitSchema(inputSchema, "ai-sdk");
  // The library changes the schema that it gets.
  const copy = () => structuredClone(schema) as Record<string, unknown>;
  return {
    description: toDescription(description, title, schemaProfiles["ai-sdk"].maxDescription),
    inputSchema: {
      "~standard": {
        version: 1,
        vendor: "allspeak",
        // The server validates arguments, and its errors are for the model to read.
        validate: (value) => ({ value: value as JsonObject }),
        jsonSchema: { input: copy, output: copy },
      },
    },
    execute: (input, { abortSignal }) => host.call(name, input, abortSignal ? { signal: abortSignal } : {}),
    toModelOutput: ({ output }) => toAiSdkOutput(output, options),
  };
}

function toAiSdkOutput(result: CallToolResult, options?: ResultOptions): AiSdkOutput {
  const parts = toParts(result, taken, options);
  if (result.isError) return { type: "error-text", value: parts.map(({ text }) => text).join("\n") };
  const value = parts.map((part): AiSdkContent => {
    if (part.kind === "text") return { type: "text", text: part.text };
    const { data, mimeType: mediaType } = part;
    return { type: mediaType.startsWith("image/") ? "image-data" : "file-data", data, mediaType };
  });
  return { type: "content", value };
}

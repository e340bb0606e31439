import type { JsonObject } from "../../lib/json.ts";
import type { Role } from "./annotations.ts";
import type {
  AudioContent,
  ImageContent,
  TextContent,
  ToolResultContent,
  ToolUseContent,
} from "./content.ts";
import type { Tool } from "./tool.ts";

export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

export interface SamplingMessage {
  readonly role: Role;
  readonly content: SamplingContent | readonly SamplingContent[];
  readonly _meta?: JsonObject;
}

export interface ModelPreferences {
  readonly hints?: readonly { readonly name?: string }[];
  readonly costPriority?: number;
  readonly speedPriority?: number;
  readonly intelligencePriority?: number;
}

export interface SamplingRequest {
  readonly messages: readonly SamplingMessage[];
  readonly maxTokens: number;
  readonly systemPrompt?: string;
  readonly modelPreferences?: ModelPreferences;
  readonly includeContext?: "none" | "thisServer" | "allServers";
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly metadata?: JsonObject;
  readonly tools?: readonly Tool[];
  readonly toolChoice?: { readonly mode?: "auto" | "required" | "none" };
}

export interface SamplingResult extends SamplingMessage {
  readonly model: string;
  readonly stopReason?: string;
}

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

/** What a server may ask its client in the middle of a call. */
export type AskMethod = "elicitation/create" | "sampling/createMessage" | "roots/list";

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

export interface ElicitForm {
  readonly mode?: "form";
  readonly message: string;
  readonly requestedSchema: JsonObject;
}

export interface ElicitUrl {
  readonly mode: "url";
  readonly message: string;
  readonly url: string;
  /** Only the one revision that correlates by id has it. */
  readonly elicitationId?: string;
}

export type ElicitRequest = ElicitForm | ElicitUrl;

export interface ElicitResult {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: JsonObject;
}

export interface Root {
  readonly uri: string;
  readonly name?: string;
  readonly _meta?: JsonObject;
}

/** An unfinished call: what the client must answer before it calls again. */
export interface InputRequired {
  readonly resultType: "input_required";
  readonly inputRequests?: {
    readonly [key: string]: { readonly method: string; readonly params?: JsonObject };
  };
  readonly requestState?: string;
}

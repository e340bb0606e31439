import type { JsonObject } from "../../lib/json.ts";
import type { Annotations } from "./annotations.ts";
import type { Resource, ResourceContents } from "./resource.ts";

interface Annotated {
  readonly annotations?: Annotations;
  readonly _meta?: JsonObject;
}

export interface TextContent extends Annotated {
  readonly type: "text";
  readonly text: string;
}

export interface ImageContent extends Annotated {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}

export interface AudioContent extends Annotated {
  readonly type: "audio";
  readonly data: string;
  readonly mimeType: string;
}

export interface ResourceLink extends Resource {
  readonly type: "resource_link";
}

export interface EmbeddedResource extends Annotated {
  readonly type: "resource";
  readonly resource: ResourceContents;
}

export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

export interface ToolUseContent {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly _meta?: JsonObject;
}

export interface ToolResultContent {
  readonly type: "tool_result";
  readonly toolUseId: string;
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}

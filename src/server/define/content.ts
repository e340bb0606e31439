import { toBase64 } from "../../lib/base64.ts";
import type { Annotations } from "../../protocol/model/annotations.ts";
import type {
  AudioContent,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
} from "../../protocol/model/content.ts";
import type { Resource, ResourceContents } from "../../protocol/model/resource.ts";

export interface ContentOptions {
  readonly annotations?: Annotations;
}

/** Bytes, or text that is already base64. */
export type BinaryData = string | Uint8Array;

export function text(value: string, options?: ContentOptions): TextContent {
  return { type: "text", text: value, ...options };
}

export function image(data: BinaryData, mimeType: string, options?: ContentOptions): ImageContent {
  return { type: "image", data: typeof data === "string" ? data : toBase64(data), mimeType, ...options };
}

export function audio(data: BinaryData, mimeType: string, options?: ContentOptions): AudioContent {
  return { type: "audio", data: typeof data === "string" ? data : toBase64(data), mimeType, ...options };
}

/** Makes a link to a resource that the client may read. The name defaults to the URI. */
export function link(uri: string, description?: Partial<Omit<Resource, "uri">>): ResourceLink {
  return { type: "resource_link", uri, name: uri, ...description };
}

/** Makes an embedded resource, with its contents. */
export function embed(resource: ResourceContents, options?: ContentOptions): EmbeddedResource {
  return { type: "resource", resource, ...options };
}

import { UsageError } from "../../errors.ts";
import { toBase64 } from "../../lib/encoding/base64.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import { checkResourceContents } from "../../protocol/check/model-check.ts";
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
  if (typeof value !== "string") throw new UsageError(`text takes a string, not ${describeValue(value)}.`);
  return { type: "text", text: value, ...options };
}

export function image(data: BinaryData, mimeType: string, options?: ContentOptions): ImageContent {
  return {
    type: "image",
    data: toData("image", data),
    mimeType: toMimeType("image/png", mimeType),
    ...options,
  };
}

export function audio(data: BinaryData, mimeType: string, options?: ContentOptions): AudioContent {
  return {
    type: "audio",
    data: toData("audio", data),
    mimeType: toMimeType("audio/wav", mimeType),
    ...options,
  };
}

/** Makes a link to a resource that the client may read. The name defaults to the URI. */
export function link(uri: string, description?: Partial<Omit<Resource, "uri">>): ResourceLink {
  if (typeof uri !== "string") {
    throw new UsageError(
      `link takes a URI as a string, such as link("file:///a.txt", { name: "a" }), not ${describeValue(uri)}.`,
    );
  }
  return { type: "resource_link", uri, name: uri, ...description };
}

/** Makes an embedded resource, with its contents. */
export function embed(resource: ResourceContents, options?: ContentOptions): EmbeddedResource {
  if (checkResourceContents(resource) !== undefined) {
    throw new UsageError(
      "embed takes contents such as { uri, text } or { uri, blob }, where blob is base64.",
    );
  }
  return { type: "resource", resource, ...options };
}

function toData(what: string, data: BinaryData): string {
  if (typeof data === "string" && !/[^a-z\d+/=]/i.test(data)) return data;
  if (data instanceof Uint8Array) return toBase64(data);
  throw new UsageError(`${what} takes a Uint8Array, or base64 as a string, not ${describeValue(data)}.`);
}

function toMimeType(example: string, given: string): string {
  if (typeof given === "string") return given;
  const [what] = example.split("/");
  throw new UsageError(`${what} takes a MIME type, such as "${example}", not ${describeValue(given)}.`);
}

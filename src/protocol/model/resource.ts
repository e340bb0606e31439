import type { JsonObject } from "../../lib/json.ts";
import type { Annotations } from "./annotations.ts";
import type { Icon } from "./identity.ts";

interface ResourceDescription {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
}

export interface Resource extends ResourceDescription {
  readonly uri: string;
  readonly size?: number;
}

export interface ResourceTemplate extends ResourceDescription {
  readonly uriTemplate: string;
}

export interface TextResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text: string;
  readonly _meta?: JsonObject;
}

export interface BlobResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  /** Base64. */
  readonly blob: string;
  readonly _meta?: JsonObject;
}

export type ResourceContents = TextResourceContents | BlobResourceContents;

export interface ReadResourceResult {
  readonly contents: readonly ResourceContents[];
  readonly ttlMs?: number;
  readonly cacheScope?: CacheScope;
  readonly _meta?: JsonObject;
}

/** The contents of a resource as a client receives them. */
export interface ReceivedResource extends ReadResourceResult {
  readonly contents: ResourceContents[];
}

export type CacheScope = "public" | "private";

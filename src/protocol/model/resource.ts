import type { JsonObject } from "../json.ts";
import type { Annotations, ResourceContents } from "./content.ts";
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

export interface ReadResourceResult {
  readonly contents: readonly ResourceContents[];
  readonly ttlMs?: number;
  readonly cacheScope?: CacheScope;
  readonly _meta?: JsonObject;
}

export type CacheScope = "public" | "private";

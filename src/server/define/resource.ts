import type { JsonObject } from "../../lib/json.ts";
import type { Annotations } from "../../protocol/model/annotations.ts";
import type { InputRequired } from "../../protocol/model/ask.ts";
import type { Icon } from "../../protocol/model/identity.ts";
import type {
  CacheScope,
  ReadResourceResult,
  Resource,
  ResourceContents,
} from "../../protocol/model/resource.ts";
import type { AccessOptions } from "../access.ts";
import type { Context } from "../context/context.ts";
import type { Completer } from "./completion.ts";
import type { TemplateVariables } from "./template-variables.ts";

export interface ResourceOptions<Uri extends string = string> extends AccessOptions {
  /** Default: the URI or template. */
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly size?: number | undefined;
  readonly annotations?: Annotations | undefined;
  readonly icons?: readonly Icon[] | undefined;
  readonly meta?: JsonObject | undefined;
  /** How long a client may keep what it read. Default 0. */
  readonly ttlMs?: number | undefined;
  /** Who may share what was read. Default `"private"`. */
  readonly cacheScope?: CacheScope | undefined;
  /** Suggestions for a template's variables, by name. */
  readonly complete?: { readonly [Variable in keyof TemplateVariables<Uri>]?: Completer } | undefined;
  /** The resources that a template stands for, so that they are listed. */
  readonly list?: ((ctx: Context) => readonly Resource[] | Promise<readonly Resource[]>) | undefined;
}

export interface ResourceContext extends Context {
  /** The URI that was asked for. */
  readonly uri: string;
}

/** Text, bytes, contents with or without their URI, or a whole result. */
export type ResourceReturn =
  | string
  | Uint8Array
  | ResourceContents
  | readonly ResourceContents[]
  | ReadResourceResult
  | InputRequired;

export type ResourceHandler<Uri extends string> = (
  variables: TemplateVariables<Uri>,
  ctx: ResourceContext,
) => ResourceReturn | Promise<ResourceReturn>;

/** A resource, or a template of resources, as a value. */
export interface ResourceDefinition {
  readonly kind: "resource";
  readonly uri: string;
  readonly options: ResourceOptions;
  readonly handler: (variables: never, ctx: ResourceContext) => unknown;
}

/** Defines a resource at a URI, or at every URI that an RFC 6570 template matches. */
export function resource<const Uri extends string>(
  uri: Uri,
  options: ResourceOptions<Uri>,
  handler: ResourceHandler<Uri>,
): ResourceDefinition {
  return { kind: "resource", uri, options: options as ResourceOptions, handler };
}

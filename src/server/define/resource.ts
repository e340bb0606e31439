import { InvalidOutputError, RegistrationError } from "../../errors.ts";
import { toBase64 } from "../../lib/base64.ts";
import { describeValue } from "../../lib/describe-value.ts";
import type { JsonObject } from "../../lib/json.ts";
import { isObject } from "../../lib/json.ts";
import type { OptionKinds } from "../../lib/option-check.ts";
import type { Annotations } from "../../protocol/model/annotations.ts";
import type { Icon } from "../../protocol/model/identity.ts";
import type { InputRequired } from "../../protocol/model/input-required.ts";
import type {
  CacheScope,
  ReadResourceResult,
  Resource,
  ResourceContents,
  ResourceTemplate,
} from "../../protocol/model/resource.ts";
import { checkResourceContents } from "../../protocol/model-check.ts";
import {
  hasVariables,
  parseUriTemplate,
  type UriTemplate,
} from "../../protocol/uri-template/uri-template.ts";
import { type AccessOptions, accessOptionKinds } from "../access.ts";
import type { Context } from "../context/context.ts";
import { assertCompleters, type Completer } from "./completion.ts";
import { isInputRequired } from "./input-required.ts";
import { rethrowAsRegistrationError } from "./registration-error.ts";
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
  /** The time for which a client may cache the contents. Default 0. */
  readonly ttlMs?: number | undefined;
  /** The caches that may keep the contents: shared ones, or the user's own. Default `"private"`. */
  readonly cacheScope?: CacheScope | undefined;
  /** Suggestions for a template's variables, by name. */
  readonly complete?: { readonly [Variable in keyof TemplateVariables<Uri>]?: Completer } | undefined;
  /** The resources of a template that appear in `resources/list`. */
  readonly list?: ((ctx: Context) => readonly Resource[] | Promise<readonly Resource[]>) | undefined;
}

export const resourceOptionKinds: OptionKinds<ResourceOptions> = {
  ...accessOptionKinds,
  name: "string",
  title: "string",
  description: "string",
  mimeType: "string",
  size: "number",
  annotations: {
    audience: "strings",
    priority: "number",
    lastModified: "string",
  } satisfies OptionKinds<Annotations>,
  icons: "array",
  meta: "object",
  ttlMs: "number",
  cacheScope: ["public", "private"] satisfies readonly CacheScope[],
  complete: "object",
  list: "function",
};

export interface ResourceContext extends Context {
  /** The URI of the request. */
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

interface Compiled {
  readonly options: ResourceOptions;
  readonly run: (variables: unknown, ctx: ResourceContext) => unknown;
}

export interface CompiledResource extends Compiled {
  readonly listed: Resource;
}

export interface CompiledTemplate extends Compiled {
  readonly listed: ResourceTemplate;
  readonly template: UriTemplate;
}

export function compileResource(definition: ResourceDefinition): CompiledResource | CompiledTemplate {
  const { uri, options } = definition;
  const run = definition.handler as Compiled["run"];
  if (hasVariables(uri)) {
    const problem = `Resource "${uri}" is not a usable URI template`;
    const template = rethrowAsRegistrationError(problem, () => parseUriTemplate(uri));
    assertCompleters(`The resource "${uri}"`, options.complete, template.variables);
    return { options, run, template, listed: { uriTemplate: uri, ...describe(definition) } };
  }
  if (!/^[a-z][a-z0-9+.-]*:/i.test(uri)) {
    throw new RegistrationError(
      `Resource "${uri}" has no scheme; write a whole URI such as "file:///notes.txt".`,
    );
  }
  assertCompleters(`The resource "${uri}"`, options.complete, []);
  const { size } = options;
  return { options, run, listed: { uri, ...describe(definition), ...(size !== undefined && { size }) } };
}

export function isTemplate(compiled: CompiledResource | CompiledTemplate): compiled is CompiledTemplate {
  return "template" in compiled;
}

function describe({ uri, options }: ResourceDefinition): Omit<Resource, "uri"> {
  const { name = uri, title, description, mimeType, annotations, icons, meta } = options;
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    ...(annotations && { annotations }),
    ...(icons && { icons }),
    ...(meta && { _meta: meta }),
  };
}

/** Makes a `resources/read` result of a handler's return value. */
export function toReadResult(compiled: Compiled, uri: string, returned: unknown): JsonObject {
  if (isInputRequired(returned)) return returned;
  const { ttlMs, cacheScope, mimeType } = compiled.options;
  const hints = { ...(ttlMs !== undefined && { ttlMs }), ...(cacheScope && { cacheScope }) };
  const whole = isObject(returned) && Array.isArray(returned.contents) ? returned : undefined;
  const given: unknown = whole ? whole.contents : returned;
  const items: readonly unknown[] = Array.isArray(given) ? given : [given];
  const contents = items.map((item) => toContents(item, uri, mimeType));
  return { ...hints, ...whole, contents };
}

function toContents(item: unknown, uri: string, mimeType: string | undefined): ResourceContents {
  const described = { uri, ...(mimeType !== undefined && { mimeType }) };
  if (typeof item === "string") return { mimeType: "text/plain", ...described, text: item };
  if (item instanceof Uint8Array) return { ...described, blob: toBase64(item) };
  const contents = isObject(item) ? { ...described, ...item } : item;
  if (checkResourceContents(contents) === undefined) return contents as ResourceContents;
  const hint =
    item === undefined || item === null
      ? "throw ResourceNotFoundError(uri) if there is nothing"
      : "write data as JSON.stringify(data)";
  throw new InvalidOutputError(
    `The resource ${uri} returned ${describeValue(item)}; return text, bytes (Uint8Array), { text } or { blob }; ${hint}.`,
  );
}

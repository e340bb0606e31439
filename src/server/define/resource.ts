import { RegistrationError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
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
import { parseTemplate, variableNames } from "../../protocol/uri-template/parse.ts";
import type { TemplateVariables } from "../../protocol/uri-template/template-variables.ts";
import { type AccessOptions, accessOptionKinds } from "../access.ts";
import type { Context } from "../context/context.ts";
import { assertCompleters, type Completer } from "./completion.ts";
import { rethrowAsRegistrationError } from "./registration-error.ts";

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
export interface ResourceDefinition<Uri extends string = string> {
  readonly kind: "resource";
  readonly uri: Uri;
  readonly options: ResourceOptions;
  readonly handler: (variables: never, ctx: ResourceContext) => unknown;
}

/** Defines a resource at a URI, or at every URI that an RFC 6570 template matches. */
export function resource<const Uri extends string>(
  uri: Uri,
  options: ResourceOptions<Uri>,
  handler: ResourceHandler<Uri>,
): ResourceDefinition<Uri> {
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
}

export function compileResource(definition: ResourceDefinition): CompiledResource | CompiledTemplate {
  const { uri, options } = definition;
  const run = definition.handler as Compiled["run"];
  const problem = `Resource "${uri}" is not a URI or template`;
  // Without a scheme, or with variables as routers and template strings of JavaScript have them.
  if (/^(?![a-z][a-z\d+.-]*:|[a-z\d+.-]*\{)|\/\/:\w+(\/|$)|\/\$\{/i.test(uri))
    throw new RegistrationError(`${problem} such as note://{id}.`);
  if (/[{}]/.test(uri)) {
    const parts = rethrowAsRegistrationError(problem, () => parseTemplate(uri));
    assertCompleters(`The resource "${uri}"`, options.complete, variableNames(parts));
    return { options, run, listed: { uriTemplate: uri, ...describe(definition) } };
  }
  assertCompleters(`The resource "${uri}"`, options.complete, []);
  const { size } = options;
  return { options, run, listed: { uri, ...describe(definition), ...(size !== undefined && { size }) } };
}

export function isTemplate(compiled: CompiledResource | CompiledTemplate): compiled is CompiledTemplate {
  return "uriTemplate" in compiled.listed;
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

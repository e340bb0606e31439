import { RegistrationError } from "../../errors.ts";
import { toBase64 } from "../../lib/base64.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Resource, ResourceContents, ResourceTemplate } from "../../protocol/model/resource.ts";
import {
  hasVariables,
  parseUriTemplate,
  type UriTemplate,
} from "../../protocol/uri-template/uri-template.ts";
import { isInputRequired } from "./input-required.ts";
import type { ResourceContext, ResourceDefinition, ResourceOptions } from "./resource.ts";

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
    const template = compileTemplate(uri);
    return { options, run, template, listed: { uriTemplate: uri, ...describe(definition) } };
  }
  if (!/^[a-z][a-z0-9+.-]*:/i.test(uri)) {
    throw new RegistrationError(
      `Resource "${uri}" has no scheme; write a whole URI such as "file:///notes.txt".`,
    );
  }
  const { size } = options;
  return { options, run, listed: { uri, ...describe(definition), ...(size !== undefined && { size }) } };
}

function compileTemplate(uri: string): UriTemplate {
  try {
    return parseUriTemplate(uri);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RegistrationError(`Resource "${uri}" is no usable URI template: ${reason}`, { cause: error });
  }
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

/** Makes a `resources/read` result of whatever a handler returned. */
export function toReadResult(compiled: Compiled, uri: string, returned: unknown): JsonObject {
  if (isInputRequired(returned)) return returned;
  const { ttlMs, cacheScope, mimeType } = compiled.options;
  const hints = { ...(ttlMs !== undefined && { ttlMs }), ...(cacheScope && { cacheScope }) };
  if (isObject(returned) && Array.isArray(returned.contents)) return { ...hints, ...returned };
  const items = Array.isArray(returned) ? returned : [returned];
  return { ...hints, contents: items.map((item) => toContents(item, uri, mimeType)) };
}

function toContents(item: unknown, uri: string, mimeType: string | undefined): ResourceContents {
  const described = { uri, ...(mimeType !== undefined && { mimeType }) };
  if (typeof item === "string") return { mimeType: "text/plain", ...described, text: item };
  if (item instanceof Uint8Array) return { ...described, blob: toBase64(item) };
  return { ...described, ...(item as ResourceContents) };
}

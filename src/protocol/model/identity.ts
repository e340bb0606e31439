import type { JsonObject } from "../../lib/json.ts";

export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: "light" | "dark";
}

/** The name and version that a client or a server gives itself. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly Icon[];
}

export interface ClientCapabilities {
  readonly roots?: { readonly listChanged?: boolean };
  readonly sampling?: { readonly context?: JsonObject; readonly tools?: JsonObject };
  readonly elicitation?: { readonly form?: JsonObject; readonly url?: JsonObject };
  readonly tasks?: JsonObject;
  readonly experimental?: { readonly [name: string]: JsonObject };
  readonly extensions?: { readonly [name: string]: JsonObject };
  readonly [name: string]: unknown;
}

export interface ServerCapabilities {
  readonly tools?: { readonly listChanged?: boolean };
  readonly resources?: { readonly listChanged?: boolean; readonly subscribe?: boolean };
  readonly prompts?: { readonly listChanged?: boolean };
  readonly logging?: JsonObject;
  readonly completions?: JsonObject;
  readonly tasks?: JsonObject;
  readonly experimental?: { readonly [name: string]: JsonObject };
  readonly extensions?: { readonly [name: string]: JsonObject };
  readonly [name: string]: unknown;
}

/** The description that a client gives of itself, which proves nothing. */
export interface ClientDeclaration {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

/** True when a dotted capability (`"sampling.tools"`, `"extensions.io.example/x"`) is declared and not `false`. */
export function hasCapability(capabilities: JsonObject, path: string): boolean {
  const dot = path.indexOf(".");
  const head = dot < 0 ? path : path.slice(0, dot);
  const value = Object.hasOwn(capabilities, head) ? capabilities[head] : undefined;
  if (value === undefined || value === null || value === false) return false;
  if (dot < 0) return true;
  const rest = path.slice(dot + 1);
  if (head === "extensions" || head === "experimental") return Object.hasOwn(value, rest);
  if (typeof value !== "object") return false;
  return hasCapability(value as JsonObject, rest);
}

/** `{ sampling: { tools: {} } }` for `["sampling.tools"]`: the shape in which a lack is reported. */
export function toCapabilities(paths: readonly string[]): JsonObject {
  const capabilities: { [name: string]: unknown } = {};
  for (const path of paths) {
    let at = capabilities;
    for (const name of splitPath(path)) {
      at[name] ??= {};
      at = at[name] as typeof capabilities;
    }
  }
  return capabilities;
}

/** The names in a dotted capability. Those of extensions have dots themselves. */
function splitPath(path: string): readonly string[] {
  const [head = "", ...rest] = path.split(".");
  const isOpen = head === "extensions" || head === "experimental";
  return isOpen && rest.length > 0 ? [head, rest.join(".")] : [head, ...rest];
}

/** Those of the dotted capabilities that are not declared. */
export function missingOf(needed: readonly string[], declared: JsonObject): readonly string[] {
  return needed.filter((capability) => !hasCapability(declared, capability));
}

import { splitCommand } from "../../client/connect/split-command.ts";
import type { Target } from "../../client/connect/target.ts";
import { isServable } from "../../contract/service.ts";
import { UsageError } from "../../errors.ts";
import { canonicalJson } from "../../lib/encoding/canonical-json.ts";
import { isObject } from "../../lib/json.ts";
import { showUrl } from "../../lib/text/show-url.ts";
import type { ConfigInput, ConfiguredServer, ServerEntry } from "../config/host-config.ts";
import { readServerEntry } from "../config/server-entry.ts";

/** One server of the host: an entry of a file, or a target that the host's author gave. */
export interface ServerSpec
  extends Pick<ConfiguredServer, "name" | "isDisabled" | "allowedTools" | "deniedTools" | "toolRules"> {
  /** The file that names it. */
  readonly file: string | undefined;
  readonly source: EntrySource | { readonly target: Target };
}

/** An entry, with the inputs of its file. */
export interface EntrySource {
  readonly entry: ServerEntry;
  readonly inputs: readonly ConfigInput[];
}

/** The specification of a server that was given in code. Throws UsageError. */
export function toSpec(name: string, given: Target): ServerSpec {
  const value = toEntryForm(given);
  if (isEntry(value)) {
    const read = readServerEntry(name, value);
    if (typeof read === "string") throw new UsageError(`Server "${name}": ${read}`);
    return fromConfigured(read, undefined, new Map());
  }
  return {
    name,
    file: undefined,
    source: { target: given },
    isDisabled: false,
    allowedTools: undefined,
    deniedTools: [],
    toolRules: {},
  };
}

export function fromConfigured(
  { name, entry, ...others }: ConfiguredServer,
  file: string | undefined,
  inputs: ReadonlyMap<string, ConfigInput>,
): ServerSpec {
  return { name, file, source: { entry, inputs: [...inputs.values()] }, ...others };
}

/** URLs and commands in the form of files; other targets as they are. */
function toEntryForm(given: Target): unknown {
  if (given instanceof URL) return { url: given.href };
  if (typeof given !== "string") return given;
  return /^(?:https?|wss?):\/\//i.test(given) ? { url: given } : splitCommand(given);
}

/** A plain object as in the files of hosts, and not a transport or a server value. */
function isEntry(given: unknown): boolean {
  if (!isObject(given) || isServable(given) || "open" in given) return false;
  const prototype = Object.getPrototypeOf(given);
  return prototype === Object.prototype || prototype === null;
}

/** True if two specifications reach the same server in the same way. */
export function isSameSource(one: ServerSpec, other: ServerSpec): boolean {
  if ("target" in one.source || "target" in other.source)
    return "target" in one.source && "target" in other.source && one.source.target === other.source.target;
  return canonicalJson(one.source) === canonicalJson(other.source);
}

/**
 * The key under which consent, pins and the audit know the server.
 *
 * Like that of `connect`, but with variables as they are written: their values are often secret. A server value is
 * known by its name in the configuration.
 */
export function serverIdOf({ name, source }: ServerSpec): string {
  if ("target" in source) return `host:${name}`;
  const { entry } = source;
  if ("command" in entry) return `command:${JSON.stringify([entry.command, ...entry.args])}`;
  return URL.canParse(entry.url) ? showUrl(new URL(entry.url)) : entry.url.replace(/[?#].*$/, "");
}

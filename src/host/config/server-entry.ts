import { isObject, type JsonObject } from "../../lib/json.ts";
import { readToolRules } from "../catalog/tool-rules.ts";
import type { ConfiguredServer, ServerEntry } from "./host-config.ts";

/** Reads one entry of a file. Returns a sentence about the problem if it can't be used. */
export function readServerEntry(name: string, value: unknown): ConfiguredServer | string {
  if (!isObject(value)) return "the entry is not an object.";
  const entry = toEntry(value);
  if (typeof entry === "string") return entry;
  const toolRules = readToolRules(value.tools);
  if (typeof toolRules === "string") return toolRules;
  const { disabled, enabled, includeTools, enabledTools, excludeTools, disabledTools } = value;
  return {
    name,
    entry,
    isDisabled: disabled === true || enabled === false,
    allowedTools: toStrings(includeTools ?? enabledTools),
    deniedTools: toStrings(excludeTools ?? disabledTools) ?? [],
    toolRules,
  };
}

function toEntry(value: JsonObject): ServerEntry | string {
  // Windsurf uses `serverUrl`, Gemini `httpUrl`.
  const url = value.url ?? value.serverUrl ?? value.httpUrl;
  if (url !== undefined && value.command !== undefined)
    return "it has both a command and a url; leave one of them out.";
  if (url !== undefined) return toUrlEntry(url, value);
  // Older files of Zed keep the program and its arguments together.
  if (isObject(value.command)) return toCommandEntry({ ...value.command, command: value.command.path });
  if (value.command !== undefined) return toCommandEntry(value);
  if (value.settings !== undefined || value.source === "extension")
    return "an extension of the editor starts it, and the file does not say how.";
  return "it has neither a command nor a url.";
}

function toUrlEntry(url: unknown, { headers }: JsonObject): ServerEntry | string {
  if (typeof url !== "string" || url === "") return "its url is not a string.";
  const read = toRecord(headers);
  return read === undefined ? "its headers are not an object of strings." : { url, headers: read };
}

function toCommandEntry({ command, args = [], env, cwd, envFile }: JsonObject): ServerEntry | string {
  if (typeof command !== "string" || command === "") return "its command is not a string.";
  const words = toWords(args);
  if (words === undefined) return "its args are not an array of strings.";
  const variables = toRecord(env);
  if (variables === undefined) return "its env is not an object of strings.";
  if (cwd !== undefined && typeof cwd !== "string") return "its cwd is not a string.";
  if (envFile !== undefined && typeof envFile !== "string") return "its envFile is not a string.";
  return {
    command,
    args: words,
    env: variables,
    ...(cwd !== undefined && { cwd }),
    ...(envFile !== undefined && { envFile }),
  };
}

/** Strings, and numbers and booleans as people write them into such files; undefined for anything else. */
function toWords(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || !value.every(isScalar)) return undefined;
  return value.map(String);
}

/** Members that are null count as left out. */
function toRecord(value: unknown): Readonly<Record<string, string>> | undefined {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) return undefined;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  if (!members.every(([, member]) => isScalar(member))) return undefined;
  return Object.fromEntries(members.map(([name, member]) => [name, String(member)]));
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function toStrings(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined;
}

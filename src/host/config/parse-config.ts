import { platform } from "#platform";
import { assertString } from "../../contract/options.ts";
import { UsageError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { ConfigInput, ConfigProblem, ConfiguredServer, HostConfig } from "./host-config.ts";
import { parseJsonc } from "./jsonc.ts";
import { readServerEntry } from "./server-entry.ts";

export interface ParseConfigOptions {
  /** The file that the text comes from, for messages. */
  readonly path?: string | undefined;
  /** The folder of the project; Claude Code keeps the servers of each project in one file. */
  readonly workspaceFolder?: string | undefined;
}

/**
 * Reads the text of a host's file: `mcpServers` (Claude, Cursor, Windsurf and many others),
 * `servers` and `inputs` (VS Code), `context_servers` (Zed).
 *
 * An entry that can't be used becomes a problem, and the others stay. Throws UsageError if the text names no servers.
 */
export function parseHostConfig(text: string, options: ParseConfigOptions = {}): HostConfig {
  const what = options.path ?? "The configuration";
  const root = parseJsonc(text, what);
  const sections = isObject(root) ? findSections(root, options.workspaceFolder) : [];
  if (sections.length === 0)
    throw new UsageError(`${what} names no servers: it has no mcpServers, servers or context_servers.`);
  const servers = new Map<string, ConfiguredServer>();
  const problems: ConfigProblem[] = [];
  // The last section has priority: that of the project.
  for (const [name, value] of sections.flatMap((section) => Object.entries(section))) {
    const read = readServerEntry(name, value);
    if (typeof read === "string") problems.push({ server: name, message: `Server "${name}": ${read}` });
    else servers.set(name, read);
  }
  return { path: options.path, servers, inputs: readInputs(root), problems };
}

/**
 * Reads a file in which a host keeps its servers; see `parseHostConfig` for the formats.
 *
 * Nothing is started, and no variable is filled in: `resolveServer` does that for one server.
 */
export async function readHostConfig(
  path: string,
  options: Omit<ParseConfigOptions, "path"> = {},
): Promise<HostConfig> {
  assertString("readHostConfig", path);
  const files = await platform.openFiles();
  return parseHostConfig(await files.readTextFile(path), { ...options, path });
}

function findSections(root: JsonObject, workspaceFolder: string | undefined): JsonObject[] {
  const { mcp, projects } = root;
  const inSettings = isObject(mcp) ? [mcp.servers, mcp.mcpServers] : [];
  const project = isObject(projects) && workspaceFolder !== undefined ? projects[workspaceFolder] : undefined;
  const named = [root.mcpServers, root.servers, root.context_servers, ...inSettings];
  const found = [...named, isObject(project) ? project.mcpServers : undefined].filter(isObject);
  return found.length === 0 && isBareList(root) ? [root] : found;
}

/** True for a file that is nothing but the entries. */
function isBareList(root: JsonObject): boolean {
  const entries = Object.values(root);
  return (
    entries.length > 0 && entries.every((entry) => isObject(entry) && ("command" in entry || "url" in entry))
  );
}

function readInputs(root: unknown): ReadonlyMap<string, ConfigInput> {
  const { inputs, mcp } = isObject(root) ? root : {};
  const listed = inputs ?? (isObject(mcp) ? mcp.inputs : undefined);
  const read = (Array.isArray(listed) ? listed : []).filter(isObject).map(toInput);
  return new Map(read.map((input) => [input.id, input]));
}

function toInput({ id, description, password, default: given, options }: JsonObject): ConfigInput {
  const choices = Array.isArray(options)
    ? options.map((option) => String(isObject(option) ? option.value : option))
    : undefined;
  return {
    id: String(id),
    description: typeof description === "string" ? description : undefined,
    isSecret: password === true,
    default: typeof given === "string" ? given : undefined,
    options: choices,
  };
}

import { platform } from "#platform";
import { UsageError } from "../../errors.ts";
import { canonicalJson } from "../../lib/encoding/canonical-json.ts";
import { sha256Hex } from "../../lib/encoding/sha256.ts";
import type { JsonObject } from "../../lib/json.ts";
import { parseEnvFile } from "../config/env-file.ts";
import { expandVariables, namedFiles, namedInputs } from "../config/expand-variables.ts";
import type { ConfigInput, ConfiguredServer, ServerEntry } from "../config/host-config.ts";
import {
  type ResolvedServer,
  resolveEntry,
  toVariableSource,
  type VariableOptions,
} from "../config/resolve-server.ts";

/** A server of a file, with all that decides what is started: its entry, its inputs, and the files that it names. */
export interface InspectedServer {
  /** The hash of all of it; another one means that something else would be started. */
  readonly sha256: string;
  /** All of it for a person to read, line by line. Values of headers and of files are masked: escape the rest. */
  readonly lines: readonly string[];
  /** The same as data, with values that are often secret replaced by hashes. */
  readonly shown: JsonObject;
  /** Fills in the variables, with the contents of files as they were read. */
  resolve(): Promise<ResolvedServer>;
}

type Contents = ReadonlyMap<string, string | undefined>;

/**
 * Reads everything that decides what a server of a file starts, before it is approved. Nothing is started, and
 * nobody is asked.
 */
export async function inspectServer(
  server: Pick<ConfiguredServer, "name" | "entry">,
  inputs: ReadonlyMap<string, ConfigInput> = new Map(),
  options: VariableOptions = {},
): Promise<InspectedServer> {
  const { entry } = server;
  const source = toVariableSource(inputs, options);
  const used = usedInputs(entry, inputs);
  const envFile = "command" in entry ? entry.envFile : undefined;
  if (envFile !== undefined && namedInputs(envFile).length > 0)
    throw new UsageError(
      `Server "${server.name}": its envFile contains an input, so that its contents can't be approved.`,
    );
  const envPath = envFile === undefined ? undefined : await expandVariables(envFile, source);
  const contents = await readContents([...textsOf(entry).flatMap(namedFiles), ...(envPath ? [envPath] : [])]);
  const shown = { ...(await withoutSecrets(entry)), ...(await describeOthers(used, contents)) };
  const sha256 = await sha256Hex(
    canonicalJson({ entry, inputs: used, files: Object.fromEntries(toEntries(contents)) }),
  );
  // Only what was read before the approval is used: a file that was missing then stays missing.
  const file = async (path: string) => {
    const text = contents.get(path);
    if (text !== undefined) return text;
    if (contents.has(path))
      throw new UsageError(
        `the file ${path} could not be read when the server was approved; write it, and load the configuration again.`,
      );
    return source.file(path);
  };
  return {
    sha256,
    shown,
    lines: [...showEntry(entry), ...showContents(contents, envPath), ...used.map(showInput)],
    resolve: () => resolveEntry(server, { ...source, file }),
  };
}

function textsOf(entry: ServerEntry): readonly string[] {
  if ("url" in entry) return [entry.url, ...Object.values(entry.headers)];
  const { command, args, env, cwd = "", envFile = "" } = entry;
  return [command, ...args, ...Object.values(env), cwd, envFile];
}

function usedInputs(entry: ServerEntry, inputs: ReadonlyMap<string, ConfigInput>): readonly ConfigInput[] {
  const ids = new Set(textsOf(entry).flatMap(namedInputs));
  return [...ids].flatMap((id) => inputs.get(id) ?? []);
}

/** A file that can't be read has no contents; it is missed when the server starts. */
async function readContents(paths: readonly string[]): Promise<Contents> {
  const contents = new Map<string, string | undefined>();
  if (paths.length === 0) return contents;
  const files = await platform.openFiles();
  for (const path of new Set(paths))
    contents.set(path, await files.readTextFile(path).catch(() => undefined));
  return contents;
}

function toEntries(contents: Contents): readonly (readonly [path: string, text: string | null])[] {
  return [...contents].map(([path, text]) => [path, text ?? null]);
}

/** The entry with values of the environment and of headers replaced by hashes: they are often secret. */
async function withoutSecrets(entry: ServerEntry): Promise<JsonObject> {
  if ("command" in entry) return { ...entry, env: await hashMembers(entry.env) };
  return { ...entry, headers: await hashMembers(entry.headers) };
}

async function describeOthers(inputs: readonly ConfigInput[], contents: Contents): Promise<JsonObject> {
  const files: Record<string, string> = {};
  for (const [path, text] of contents) files[path] = text === undefined ? "missing" : await shortHash(text);
  return {
    ...(inputs.length > 0 && { inputs: Object.fromEntries(inputs.map((input) => [input.id, { ...input }])) }),
    ...(contents.size > 0 && { files }),
  };
}

async function hashMembers(members: Readonly<Record<string, string>>): Promise<JsonObject> {
  const hashed: Record<string, string> = {};
  // Variables are shown: they are names.
  for (const [name, value] of Object.entries(members))
    hashed[name] = isVariable(value) ? value : await shortHash(value);
  return hashed;
}

async function shortHash(text: string): Promise<string> {
  return `sha256 ${(await sha256Hex(text)).slice(0, 8)}`;
}

function showEntry(entry: ServerEntry): readonly string[] {
  if ("url" in entry) {
    const headers = Object.entries(entry.headers);
    return [entry.url, ...headers.map(([name, value]) => `with the header ${name}: ${mask(value)}`)];
  }
  const { command, args, env, cwd } = entry;
  return [
    [command, ...args].map((word) => (/^[\w./:@=-]+$/.test(word) ? word : JSON.stringify(word))).join(" "),
    ...Object.entries(env).map(([variable, value]) => `with ${variable}=${value}`),
    ...(cwd === undefined ? [] : [`in ${cwd}`]),
  ];
}

function showContents(contents: Contents, envPath: string | undefined): readonly string[] {
  return [...contents].flatMap(([path, text]) => {
    if (text === undefined) return [`with the file ${path}, which can't be read`];
    if (path !== envPath) return [`with the contents of ${path}: ${mask(text)}`];
    const variables = Object.entries(parseEnvFile(text));
    return [
      `with the variables of ${path}:`,
      ...variables.map(([name, value]) => `  ${name}=${mask(value)}`),
    ];
  });
}

function showInput({ id, description, default: given }: ConfigInput): string {
  const about = description === undefined ? "" : ` (${description})`;
  return `asks for ${id}${about}${given === undefined ? "" : `, else takes ${JSON.stringify(given)}`}`;
}

/** Enough of a value to know it again. Variables are names, and shown. */
function mask(value: string): string {
  if (isVariable(value)) return value;
  return `${value.slice(0, Math.min(4, value.length / 4))}… (${value.length} characters)`;
}

function isVariable(value: string): boolean {
  return /^\$\{[^{}]+\}$/.test(value);
}

import { platform } from "#platform";
import { checkUrl } from "../../client/connect/url-target.ts";
import { assertOptions, type OptionKinds } from "../../contract/options.ts";
import { UsageError } from "../../errors.ts";
import type { StdioCommand } from "../../transports/stdio/stdio-command.ts";
import { parseEnvFile } from "./env-file.ts";
import { expandVariables, type VariableSource } from "./expand-variables.ts";
import type { CommandEntry, ConfigInput, ConfiguredServer, UrlEntry } from "./host-config.ts";

/** The values of the variables in a host's file. */
export interface VariableOptions {
  /** The environment for `${NAME}` and `${env:NAME}`. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The project, for `${workspaceFolder}`. Default: none, and such a server is refused. */
  readonly workspaceFolder?: string | undefined;
  /**
   * Asks the user for the value of `${input:id}`; undefined means that there is none.
   *
   * Default: the default that the file gives.
   */
  readonly input?: ((input: ConfigInput) => string | undefined | Promise<string | undefined>) | undefined;
}

export const variableOptionKinds: OptionKinds<VariableOptions> = {
  env: "object",
  workspaceFolder: "string",
  input: "function",
};

/** A server of a file as `connect` takes it. */
export type ResolvedServer =
  | (StdioCommand & { readonly url?: undefined })
  | {
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly command?: undefined;
    };

/** Fills in the variables of a server, so that `connect` can take it. Asks for inputs; throws UsageError if a value is missing. */
export async function resolveServer(
  server: Pick<ConfiguredServer, "name" | "entry">,
  inputs: ReadonlyMap<string, ConfigInput> = new Map(),
  options: VariableOptions = {},
): Promise<ResolvedServer> {
  return resolveEntry(server, toVariableSource(inputs, options));
}

/** Fills in the variables of a server from a source. */
export async function resolveEntry(
  server: Pick<ConfiguredServer, "name" | "entry">,
  source: VariableSource,
): Promise<ResolvedServer> {
  try {
    const { entry } = server;
    return "command" in entry ? await resolveCommand(entry, source) : await resolveUrl(entry, source);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`Server "${server.name}": ${error.message}`, { cause: error });
  }
}

async function resolveCommand(entry: CommandEntry, source: VariableSource): Promise<ResolvedServer> {
  const expand = (text: string) => expandVariables(text, source);
  const args: string[] = [];
  for (const arg of entry.args) args.push(await expand(arg));
  const cwd = entry.cwd === undefined ? undefined : await expand(entry.cwd);
  const envFile = entry.envFile === undefined ? undefined : await expand(entry.envFile);
  return {
    command: await expand(entry.command),
    args,
    env: {
      ...(envFile !== undefined && parseEnvFile(await source.file(envFile))),
      ...(await expandMembers(entry.env, source)),
    },
    ...(cwd !== undefined && { cwd }),
  };
}

async function resolveUrl(entry: UrlEntry, source: VariableSource): Promise<ResolvedServer> {
  const url = await expandVariables(entry.url, source);
  if (!URL.canParse(url)) throw new UsageError("its url is not a URL.");
  return { url: checkUrl({ url }), headers: await expandMembers(entry.headers, source) };
}

async function expandMembers(
  members: Readonly<Record<string, string>>,
  source: VariableSource,
): Promise<Readonly<Record<string, string>>> {
  const expanded: Record<string, string> = {};
  for (const [name, value] of Object.entries(members)) expanded[name] = await expandVariables(value, source);
  return expanded;
}

interface ProcessLike {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly platform?: string;
  cwd?(): string;
}

/** The values of variables: of the environment, of files, and of the user. Throws UsageError for wrong options. */
export function toVariableSource(
  inputs: ReadonlyMap<string, ConfigInput>,
  options: VariableOptions,
): VariableSource {
  assertOptions("resolveServer", options, variableOptionKinds);
  const { process = {} } = globalThis as { readonly process?: ProcessLike };
  const env = options.env ?? process.env ?? {};
  return {
    env,
    predefined: predefinedVariables(env, options.workspaceFolder, process),
    file: async (path) => (await platform.openFiles()).readTextFile(path),
    input: async (id) => {
      const input = inputs.get(id) ?? {
        id,
        description: undefined,
        isSecret: true,
        default: undefined,
        options: undefined,
      };
      return (await options.input?.(input)) ?? input.default;
    },
  };
}

function predefinedVariables(
  env: VariableSource["env"],
  workspaceFolder: string | undefined,
  process: ProcessLike,
): ReadonlyMap<string, string> {
  const separator = process.platform === "win32" ? "\\" : "/";
  const home = env.HOME ?? env.USERPROFILE;
  const folders: [string, string | undefined][] = [
    ["workspaceFolder", workspaceFolder],
    ["workspaceRoot", workspaceFolder],
    ["workspaceFolderBasename", workspaceFolder?.split(/[\\/]/).findLast((part) => part !== "")],
    ["userHome", home],
    ["cwd", process.cwd?.()],
    ["pathSeparator", separator],
    ["/", separator],
  ];
  return new Map(folders.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

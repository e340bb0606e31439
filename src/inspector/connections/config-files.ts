import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ConfiguredServer, type HostConfig, readHostConfig } from "allspeak/host";
import { hostFiles, projectFiles } from "../../node/files/host-files.ts";
import type { ConfigFile, ConfiguredServerView } from "../messages/connection.ts";
import { InspectorError } from "../session/failure.ts";
import { maskUrl } from "../wire/http-exchange.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The folders in which files of hosts are looked for. */
export interface ConfigPlaces {
  readonly cwd: string;
  readonly env: Environment;
}

/** The files of hosts that exist, and the servers in them. A file that can't be read has the reason. */
export async function readConfigFiles(places: ConfigPlaces): Promise<ConfigFile[]> {
  return Promise.all(
    knownFiles(places).map(async ({ path, host }) => {
      try {
        const config = await readHostConfig(path, { workspaceFolder: places.cwd });
        return {
          path,
          host,
          servers: [...config.servers.values()].map(toView),
          problems: problemsOf(config),
        };
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { path, host, servers: [], problems: [{ message }] };
      }
    }),
  );
}

/** One server of a file that is known; other files are not read. */
export async function findConfigured(
  { file, name }: { readonly file: string; readonly name: string },
  places: ConfigPlaces,
): Promise<{ server: ConfiguredServer; inputs: HostConfig["inputs"] }> {
  if (!knownFiles(places).some(({ path }) => path === file))
    throw new InspectorError("not-found", `${file} is not a file of a host here.`);
  const { servers, inputs, problems } = await readHostConfig(file, { workspaceFolder: places.cwd });
  const server = servers.get(name);
  if (server) return { server, inputs };
  const problem = problems.find((one) => one.server === name)?.message;
  throw new InspectorError("not-found", problem ?? `${file} has no server ${JSON.stringify(name)}.`);
}

function knownFiles({ cwd, env }: ConfigPlaces): { path: string; host: string }[] {
  const ofProject = projectFiles.map((name) => ({ path: join(cwd, name), host: "this folder" }));
  const ofHosts = Object.entries(hostFiles).map(([host, { path }]) => ({ path: path(env), host }));
  return [...ofProject, ...ofHosts].filter(({ path }) => existsSync(path));
}

/** Values of variables and headers stay here: they are often secrets. */
function toView({ name, entry, isDisabled }: ConfiguredServer): ConfiguredServerView {
  if ("url" in entry)
    return { name, isDisabled, entry: { url: maskUrl(entry.url), headerNames: Object.keys(entry.headers) } };
  const { command, args, env, cwd } = entry;
  return {
    name,
    isDisabled,
    entry: { command, args, envNames: Object.keys(env), ...(cwd !== undefined && { cwd }) },
  };
}

function problemsOf({ problems }: HostConfig): ConfigFile["problems"] {
  return problems.map(({ server, message }) => ({ message, ...(server !== undefined && { server }) }));
}

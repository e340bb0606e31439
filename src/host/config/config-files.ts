import { platform } from "#platform";
import { SingleFlight } from "../../lib/async/single-flight.ts";
import { runLater } from "../../lib/async/timers.ts";
import type { ConfigInput, ConfiguredServer, HostConfig } from "./host-config.ts";
import { readHostConfig } from "./parse-config.ts";

/** The servers of all files together. */
export type JoinedConfig = ReadonlyMap<string, PlacedServer>;

/** A server with the file that names it, and the inputs of that file: another file can't change what it asks for. */
export interface PlacedServer {
  readonly server: ConfiguredServer;
  readonly file: string;
  readonly inputs: ReadonlyMap<string, ConfigInput>;
}

export interface ConfigFilesOptions {
  readonly workspaceFolder: string | undefined;
  /** Receives entries that can't be used, and files that can't be read after they changed. */
  report(problem: Error | string, serverName: string | undefined): void;
}

/** Editors write a file in several steps. */
const settleMs = 50;

/** The files in which a host's servers are kept; a later file has priority. */
export class ConfigFiles {
  /** From the root: approvals belong to a file, wherever the host is started. */
  readonly paths: readonly string[];
  readonly #options: ConfigFilesOptions;
  readonly #reading = new SingleFlight<JoinedConfig>();
  #stops: readonly (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(paths: readonly string[], options: ConfigFilesOptions) {
    this.paths = paths.map(toAbsolute);
    this.#options = options;
  }

  async read(): Promise<JoinedConfig> {
    const { signal } = new AbortController();
    return this.#reading.join(signal, () => this.#read());
  }

  /** Calls the listener when the files may have changed. Keeps no process alive. */
  async watch(onChange: () => void): Promise<void> {
    const settle = () => {
      clearTimeout(this.#timer);
      this.#timer = runLater(onChange, settleMs);
    };
    const files = await platform.openFiles();
    this.#stops = this.paths.map((path) => files.watchTextFile(path, settle));
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const stop of this.#stops) stop();
    this.#stops = [];
  }

  async #read(): Promise<JoinedConfig> {
    const { workspaceFolder, report } = this.#options;
    const configs: HostConfig[] = [];
    for (const path of this.paths) configs.push(await readHostConfig(path, { workspaceFolder }));
    for (const { server, message } of configs.flatMap(({ problems }) => problems)) report(message, server);
    const servers = configs.flatMap((config) =>
      [...config.servers.values()].map((server) => ({
        server,
        file: config.path ?? "",
        inputs: config.inputs,
      })),
    );
    return new Map(servers.map((placed) => [placed.server.name, placed]));
  }
}

function toAbsolute(path: string): string {
  const { process } = globalThis as { readonly process?: { cwd?(): string } };
  const isAbsolute = /^(?:[\\/]|[A-Za-z]:)/.test(path);
  return isAbsolute || process?.cwd === undefined ? path : `${process.cwd()}/${path}`;
}

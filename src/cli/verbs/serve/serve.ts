import { resolve } from "node:path";
import type { Servable } from "allspeak/client";
import { CommandError } from "../../command-error.ts";
import { ExitCode } from "../../exit-code.ts";
import { LiveServer } from "../../serve/live-server.ts";
import { openState } from "../../serve/open-state.ts";
import { assertServeOptions, type ServeOptions, serveOptions } from "../../serve/serve-options.ts";
import { serveServer } from "../../serve/serve-server.ts";
import { escapeText } from "../../show/escape.ts";
import { loadServer } from "../../target/load-module.ts";
import { libraryOf } from "../../target/project-library.ts";
import { exportOption } from "../../target/target-options.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { defineVerb, type OptionValues, type Verb } from "../../verb.ts";

const options = {
  ...serveOptions,
  export: exportOption,
  state: {
    type: "string",
    value: "URL",
    description: "Share sessions with other processes: redis://, postgres://, nats:// or sqlite:FILE",
  },
  workers: {
    type: "number",
    value: "N",
    range: [1, 1_024],
    description: "Serve over HTTP with so many processes, which share sessions",
  },
  watch: {
    type: "boolean",
    short: "w",
    description: "Load the module anew when a file changes; clients stay connected",
  },
} as const;

export const serve: Verb<typeof options> = defineVerb({
  arguments: [{ name: "module", description: "a TypeScript or JavaScript file that exports a server value" }],
  options,
  examples: [
    ["allspeak serve ./server.ts", "on standard input and output, for a host that starts it"],
    ["allspeak serve ./server.ts --http :3000", "over HTTP, on this machine only"],
    ["allspeak serve ./server.ts --http :3000 --watch", "the same, while you write it"],
    ["allspeak serve ./server.js --http :3000 --workers 4", "with four processes"],
    [
      "allspeak serve ./server.js --http 0.0.0.0:8080 --public-url https://mcp.example.com/mcp",
      "behind a proxy",
    ],
  ],
  notes:
    "TypeScript runs where Node strips types (22.18 or newer), else with tsx if it is installed.\nOn standard output there are only messages of the protocol; console.log goes to standard error.",
  async run({ arguments: [path = ""], options, terminal }) {
    const { cwd } = terminal.streams;
    const load = (version?: number) =>
      loadServer(path, { cwd, exportName: options.export, ...(version !== undefined && { version }) });
    const libraryFor = (server: Servable) => libraryOf(server, resolve(cwd, path));
    assertServeOptions(options);
    assertTogether(options);
    if (options.http === undefined) terminal.ownStdout();
    if (options.watch) return serveAndReload({ path, load, libraryFor, options, terminal });
    const server = await load();
    const hasKeys = terminal.streams.env.ALLSPEAK_STATE_KEYS !== undefined || hasSecrets(server);
    if (options.state !== undefined && !hasKeys) terminal.note(keyAdvice);
    const library = await libraryFor(server);
    const state = options.state === undefined ? undefined : await openState(options.state);
    const { workers } = options;
    const http = { ...(state && { state }), ...(workers !== undefined && { workers }) };
    try {
      return await serveServer({ server, library, options, terminal, http });
    } finally {
      await state?.close();
    }
  },
});

const keyAdvice =
  "Processes that share a state need the same key, or they can't continue each other's questions: set\nALLSPEAK_STATE_KEYS for all of them (openssl rand -base64 32), unless the server has the option secrets.";

/** Returns whether the author gave the server keys of its own. */
function hasSecrets(server: object): boolean {
  const { catalog } = server as { readonly catalog?: { readonly settings?: { readonly secrets?: unknown } } };
  return catalog?.settings?.secrets !== undefined;
}

/** Refuses options that exclude each other. */
function assertTogether({ watch, state, workers, http }: OptionValues<typeof options>): void {
  const other = state === undefined ? "--workers" : "--state";
  if (watch && (state !== undefined || workers !== undefined)) {
    throw new CommandError(
      `--watch is for one process: leave out ${other} while you write the server.`,
      ExitCode.usage,
    );
  }
  if (http === undefined && (workers !== undefined || state !== undefined))
    throw new CommandError(`${other} is for --http: one client on stdio has one process.`, ExitCode.usage);
}

interface Reloading {
  readonly path: string;
  readonly load: (version?: number) => Promise<Servable>;
  readonly libraryFor: (server: Servable) => ReturnType<typeof libraryOf>;
  readonly options: ServeOptions;
  readonly terminal: Terminal;
}

/** Replaces the server when its files change. One that can't be loaded leaves the old one in place. */
async function serveAndReload({ path, load, libraryFor, ...serving }: Reloading): Promise<ExitCode> {
  const { terminal } = serving;
  const { ModuleWatcher } = await import("../../serve/watch-module.ts");
  let live: LiveServer | undefined;
  let version = 0;
  let last: Promise<void> = Promise.resolve();
  const reload = async (): Promise<void> => {
    version++;
    try {
      await live?.replace(await load(version));
      terminal.note(terminal.notePaint.green(`Reloaded ${path}.`));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      terminal.note(`${terminal.notePaint.red("Not reloaded:")} ${escapeText(reason)}`);
    }
  };
  const watcher = new ModuleWatcher(resolve(terminal.streams.cwd, path), () => {
    last = last.then(reload);
  });
  try {
    const first = await load(0);
    live = new LiveServer(first);
    return await serveServer({ ...serving, server: live, library: await libraryFor(first) });
  } finally {
    watcher.close();
  }
}

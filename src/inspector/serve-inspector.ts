import { existsSync } from "node:fs";
import { join } from "node:path";
import { packageVersion } from "../client/connect/package-version.ts";
import { assertOptions, type OptionKinds } from "../contract/options.ts";
import { UsageError } from "../errors.ts";
import { isCanonicalLoopbackHost } from "../lib/loopback.ts";
import { SupportedRevisions } from "../protocol/negotiate.ts";
import type { Offers } from "./connections/offered.ts";
import { PageServer } from "./http/page-server.ts";
import { PageTokens } from "./session/page-tokens.ts";
import { InspectorSession } from "./session/session.ts";
import { defaultWireLimits } from "./wire/wire-log.ts";

export interface InspectorOptions {
  /** Servers that the page offers, by name. Nobody is asked before they are used. */
  readonly servers?: Offers | undefined;
  /** Default: a free one. */
  readonly port?: number | undefined;
  /**
   * The address to listen on. Default `127.0.0.1`: this machine only.
   *
   * Whoever has the address of the page may start programs with your rights, so that any other needs `publicUrl`.
   */
  readonly host?: string | undefined;
  /** The URL under which browsers reach the page, where that is not this machine. Must be https, or a trusted network. */
  readonly publicUrl?: string | undefined;
  /** The folder in which files of hosts are looked for, and programs are started. Default: that of this process. */
  readonly cwd?: string | undefined;
  /** The environment in which hosts' files and their variables are looked up. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The history of the wire: the oldest messages go first. Default: 200,000 messages and 128 MiB. */
  readonly history?: { readonly maxEntries?: number; readonly maxBytes?: number } | undefined;
}

const optionKinds: OptionKinds<InspectorOptions> = {
  servers: "object",
  port: "number",
  host: "string",
  publicUrl: "url",
  cwd: "string",
  env: "object",
  history: { maxEntries: "positive", maxBytes: "positive" },
};

export interface Inspector {
  /** The address for a browser, with a token that works once. */
  readonly url: string;
  /** Another address, for another browser: each works once. */
  createUrl(): string;
  /** Closes the page, all connections and all programs. */
  close(): Promise<void>;
}

/**
 * Serves the inspector: a page to see a server, use it, and see every word on the wire.
 *
 * Whoever opens an inspector must close it.
 */
export async function serveInspector(options: InspectorOptions = {}): Promise<Inspector> {
  assertOptions("serveInspector", options, optionKinds);
  const { host = "127.0.0.1", port = 0, publicUrl, servers: offers = {} } = options;
  if (!isCanonicalLoopbackHost(host) && publicUrl === undefined)
    throw new UsageError(
      `Listening on ${host} lets other machines start programs here; set publicUrl to the name that they use, or listen on 127.0.0.1.`,
    );
  const access = new PageTokens();
  const session = new InspectorSession({
    offers,
    cwd: options.cwd ?? process.cwd(),
    env: options.env ?? process.env,
    version: packageVersion,
    revisions: new SupportedRevisions().names,
    command: findBuilt("cli/bin.js"),
    ...(options.history && { wireLimits: { ...defaultWireLimits, ...options.history } }),
  });
  const page = await PageServer.open({
    session,
    access,
    host,
    port,
    publicUrl,
    folder: findBuilt("inspector/page"),
  });
  const createUrl = () => `${publicUrl ?? page.url}#token=${access.createToken()}`;
  return {
    url: createUrl(),
    createUrl,
    async close() {
      await page.close();
      await session.close();
    },
  };
}

/** A part of the built package: beside this file once that is built itself, else in `dist`. */
function findBuilt(path: string): string {
  const [beside, built] = [
    join(import.meta.dirname, "..", path),
    join(import.meta.dirname, "../../dist", path),
  ];
  return existsSync(beside) ? beside : built;
}

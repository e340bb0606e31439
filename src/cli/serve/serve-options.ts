import { isCanonicalLoopbackHost } from "../../lib/loopback.ts";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";
import { escapeLine } from "../show/escape.ts";
import type { OptionTable, OptionValues } from "../verb.ts";
import { readListenAddress } from "./listen-address.ts";

/** Options of the verbs that serve. */
export const serveOptions = {
  stdio: { type: "boolean", description: "Serve on standard input and output (the default)" },
  http: {
    type: "string",
    value: "[HOST]:PORT",
    description: "Serve over HTTP; without a host on this machine only",
  },
  path: { type: "string", value: "PATH", description: "The path of the endpoint. Default: /mcp" },
  "public-url": {
    type: "string",
    value: "URL",
    description: "The URL by which clients reach it, behind a proxy",
  },
  "allow-host": {
    type: "string",
    value: "NAME",
    multiple: true,
    description: "A host name that requests may be for",
  },
  "allow-origin": {
    type: "string",
    value: "ORIGIN",
    multiple: true,
    description: "A web page's origin that may call",
  },
  json: { type: "boolean", description: "Write the address as JSON" },
} as const satisfies OptionTable;

export type ServeOptions = OptionValues<typeof serveOptions>;

const onlyOverHttp = ["path", "public-url", "allow-host", "allow-origin"] as const;

/** Refuses options that can't be used as they are, before anything is loaded or opened. */
export function assertServeOptions(options: ServeOptions): void {
  if (options.http !== undefined) return assertHttp(options, options.http);
  const unused = onlyOverHttp.find((name) => options[name] !== undefined);
  if (unused === undefined) return;
  throw new CommandError(`--${unused} is for --http.`, ExitCode.usage, {
    hint: `Add --http :3000, or leave out --${unused}.`,
  });
}

function assertHttp(options: ServeOptions, address: string): void {
  if (options.stdio) throw new CommandError("--stdio and --http exclude each other.", ExitCode.usage);
  const { host } = readListenAddress(address);
  if (host === undefined || isCanonicalLoopbackHost(host)) return;
  if (options["public-url"] || options["allow-host"]?.length) return;
  throw new CommandError(
    `Listening on ${escapeLine(host)} opens this server to other machines.`,
    ExitCode.usage,
    {
      hint: "Name the hosts that clients use: --public-url https://…, or --allow-host NAME. Or listen on 127.0.0.1.",
    },
  );
}

/** For verbs that serve other servers again. */
export const isolationOption = {
  type: "string",
  value: "KIND",
  choices: ["per-session", "per-principal", "shared"],
  description: "The callers that share a connection to a server. Default: per-session",
} as const;

import type { HeaderRecord } from "../../../contract/channel.ts";
import type { ClientAuth } from "../../../contract/http-auth.ts";
import type { OptionKinds } from "../../../contract/options.ts";
import { defaultMaxMessageBytes } from "../../../protocol/parse.ts";
import type { SendRequest } from "./http-exchange.ts";

export interface HttpClientOptions {
  /** The function that makes requests. Default: `node:http` under Node, unless its `fetch` was replaced; `fetch` elsewhere. */
  readonly fetch?: typeof fetch;
  /**
   * Headers for every request to the server; a function is called for each.
   *
   * They go to the origin of the URL only: redirects elsewhere are refused.
   */
  readonly headers?: HeaderRecord | (() => HeaderRecord | Promise<HeaderRecord>);
  /**
   * Obtains credentials and sends them with every request: `oauth()` of `allspeak/auth`.
   *
   * They go to the origin of the URL only, and replace an `authorization` header given beside them.
   */
  readonly auth?: ClientAuth | undefined;
  /** The largest message that is read, and the longest event of a stream. Default 64 MiB. */
  readonly maxMessageBytes?: number;
  /**
   * The silence after which a stream counts as broken, in milliseconds, once the server has
   * sent a heartbeat. `Infinity` for never. Default 35,000.
   */
  readonly silenceMs?: number;
  /** The longest time that `close()` waits for the server to end the session, in milliseconds. Default 1,000. */
  readonly closeMs?: number;
}

export const httpClientOptionKinds: OptionKinds<HttpClientOptions> = {
  fetch: "function",
  headers: "object|function",
  auth: "auth",
  maxMessageBytes: "number",
  silenceMs: "number",
  closeMs: "number",
};

/** All options, with their defaults filled in. */
export interface HttpClientSettings {
  readonly fetch: typeof fetch | undefined;
  readonly headers: HttpClientOptions["headers"];
  readonly auth: ClientAuth | undefined;
  readonly maxMessageBytes: number;
  readonly silenceMs: number;
  readonly closeMs: number;
}

/** The settings of a connection, with its way to make requests. */
export interface OpenSettings extends HttpClientSettings {
  readonly send: SendRequest;
}

export function toClientSettings(options: HttpClientOptions): HttpClientSettings {
  return {
    fetch: options.fetch,
    headers: options.headers,
    auth: options.auth,
    maxMessageBytes: options.maxMessageBytes ?? defaultMaxMessageBytes,
    silenceMs: options.silenceMs ?? 35_000,
    closeMs: options.closeMs ?? 1_000,
  };
}

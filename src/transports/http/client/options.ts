import type { HeaderRecord } from "../../../contract/channel.ts";
import type { ClientAuth } from "../../../contract/http-auth.ts";
import { defaultMaxMessageBytes } from "../../../protocol/parse.ts";

export interface HttpClientOptions {
  /** What requests are made with. Default: the platform's own. */
  readonly fetch?: typeof fetch;
  /**
   * Sent with every request to the server; a function is asked each time.
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
   * After how much silence a stream counts as broken, once the server has shown that it
   * sends signs of life. `Infinity` for never. Default 35,000.
   */
  readonly silenceMs?: number;
  /** How long `close()` waits for the server to take note of the end of the session. Default 1,000. */
  readonly closeMs?: number;
}

/** All options, with their defaults filled in. */
export interface HttpClientSettings {
  readonly fetch: typeof fetch;
  readonly headers: HttpClientOptions["headers"];
  readonly auth: ClientAuth | undefined;
  readonly maxMessageBytes: number;
  readonly silenceMs: number;
  readonly closeMs: number;
}

export function toClientSettings(options: HttpClientOptions): HttpClientSettings {
  return {
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    headers: options.headers,
    auth: options.auth,
    maxMessageBytes: options.maxMessageBytes ?? defaultMaxMessageBytes,
    silenceMs: options.silenceMs ?? 35_000,
    closeMs: options.closeMs ?? 1_000,
  };
}

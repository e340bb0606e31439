import type { ServerAuth } from "../../../contract/http-auth.ts";
import type { Principal } from "../../../contract/principal.ts";
import type { LimitOptions } from "../../../guard/call-limits.ts";
import type { TrustProxy } from "../../../guard/client-address.ts";
import type { HostCheckOptions } from "../../../guard/host-check.ts";
import { defaultMaxBodyBytes } from "../../../protocol/parse.ts";
import type { State } from "../../../state/state.ts";
import type { HttpRequest } from "./http-interface.ts";

export interface HttpOptions extends HostCheckOptions {
  /** The endpoint for every revision but the oldest. Default `/mcp`. */
  readonly path?: string;
  /** The two endpoints of HTTP+SSE, for clients of the oldest revision; `false` for none. Default `/sse` and `/messages`. */
  readonly sse?: { readonly path?: string; readonly messagesPath?: string } | false;
  /** Answers 200 while the server takes requests, 503 while it closes; `false` for none. Default `/health`. */
  readonly healthPath?: string | false;
  /** Default 4 MiB. */
  readonly maxBodyBytes?: number;
  /** How long a body may take to arrive. Default 20,000. */
  readonly bodyMs?: number;
  readonly sessions?: SessionOptions;
  /** Where sessions and events are kept. Default: in memory. */
  readonly state?: State;
  /** How often an idle stream gets a sign of life. Default 15,000. */
  readonly keepAliveMs?: number;
  /** How long a reader that takes nothing is waited for before it is cut. Default 30,000. */
  readonly stallMs?: number;
  /** Who calls, from what the request proves; undefined for nobody in particular. Throw an RpcError to refuse, which is answered with 403. */
  readonly identify?: (request: HttpRequest) => Principal | undefined | Promise<Principal | undefined>;
  /**
   * Who may call: `bearer` of `allspeak/auth`. Every request is checked, on every route but the
   * health path. Takes the place of `identify`.
   */
  readonly auth?: ServerAuth;
  /**
   * How many calls are taken, from all and from each caller; `false` for any number.
   *
   * Default: 1,000 at once; 6,000 a minute and 100 at once from each address on another
   * machine that no principal stands behind. What is beyond is answered with 429 or 503.
   */
  readonly limits?: LimitOptions | false;
  /**
   * Who in front of this server is believed about the address of a client: the number of
   * proxies that add to `X-Forwarded-For`, or the name of the header that holds the address.
   *
   * Default: nobody. Behind a proxy on another machine all clients then share its address.
   */
  readonly trustProxy?: TrustProxy;
}

export interface SessionOptions {
  /** Give out no session ids: each request of the session revisions is served by itself. Default false. */
  readonly stateless?: boolean;
  /** A session is forgotten when nothing was heard of it for so long. Default 30 minutes. */
  readonly idleMs?: number;
  /** At most so many; the one idle for longest goes first. Default 10,000. */
  readonly max?: number;
  /** How long a client may take to come back to a broken stream. Default 60,000. */
  readonly resumeMs?: number;
  /** What clients are told to wait before they come back. Default 1,000. */
  readonly retryMs?: number;
}

const minute = 60_000;

interface SsePaths {
  readonly path: string;
  readonly messagesPath: string;
  /** Where clients find `messagesPath`, which is elsewhere behind a proxy that takes a part of the path away. */
  readonly messagesUrl: string;
}

/** All settings, with their defaults filled in. */
export interface HttpSettings {
  readonly path: string;
  readonly sse: SsePaths | undefined;
  readonly healthPath: string | undefined;
  readonly maxBodyBytes: number;
  readonly bodyMs: number;
  readonly keepAliveMs: number;
  readonly stallMs: number;
  readonly sessions: Required<SessionOptions>;
  readonly identify: HttpOptions["identify"];
  readonly trustProxy: TrustProxy | undefined;
}

export function toHttpSettings(options: HttpOptions): HttpSettings {
  const { path = "/mcp", healthPath = "/health", sessions = {} } = options;
  return {
    path,
    sse: toSsePaths(options, path),
    healthPath: healthPath || undefined,
    maxBodyBytes: options.maxBodyBytes ?? defaultMaxBodyBytes,
    bodyMs: options.bodyMs ?? 20_000,
    keepAliveMs: options.keepAliveMs ?? 15_000,
    stallMs: options.stallMs ?? 30_000,
    sessions: {
      stateless: sessions.stateless ?? false,
      idleMs: sessions.idleMs ?? 30 * minute,
      max: sessions.max ?? 10_000,
      resumeMs: sessions.resumeMs ?? minute,
      retryMs: sessions.retryMs ?? 1000,
    },
    identify: options.identify,
    trustProxy: options.trustProxy,
  };
}

function toSsePaths({ sse = {}, publicUrl }: HttpOptions, endpoint: string): SsePaths | undefined {
  if (sse === false) return undefined;
  const { path = "/sse", messagesPath = "/messages" } = sse;
  const seen = publicUrl === undefined ? endpoint : new URL(publicUrl).pathname;
  const prefix = seen.endsWith(endpoint) ? seen.slice(0, -endpoint.length) : "";
  return { path, messagesPath, messagesUrl: prefix + messagesPath };
}

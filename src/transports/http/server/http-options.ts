import type { TrustProxy } from "../../../contract/caller/client-address.ts";
import type { Principal } from "../../../contract/caller/principal.ts";
import type { ServerAuth } from "../../../contract/http-auth.ts";
import type { OptionKinds } from "../../../contract/options.ts";
import { assertPingOptions, type PingOptions, pingOptionKinds } from "../../../contract/ping.ts";
import type { DebugOption } from "../../../debug/debug-log.ts";
import type { HostCheckOptions } from "../../../guard/allow-list.ts";
import { type LimitOptions, limitOptionKinds } from "../../../guard/limit-options.ts";
import { defaultMaxBodyBytes } from "../../../protocol/parse.ts";
import type { State } from "../../../state/state.ts";
import type { HttpRequest } from "./http-interface.ts";
import { createSessionId } from "./session/session-id.ts";

export interface HttpOptions extends HostCheckOptions {
  /** The Streamable HTTP endpoint, for every revision but 2024-11-05. Default `/mcp`. */
  readonly path?: string;
  /** The two endpoints of HTTP+SSE, for clients of revision 2024-11-05; `false` for none. Default `/sse` and `/messages`. */
  readonly sse?: { readonly path?: string; readonly messagesPath?: string } | false;
  /** Answers 200 while the server takes requests, 503 while it closes; `false` for none. Default `/health`. */
  readonly healthPath?: string | false;
  /** Default 4 MiB. */
  readonly maxBodyBytes?: number;
  /**
   * Bytes of bodies and WebSocket messages that have begun to arrive, from all callers. Beyond it the
   * caller with the most is refused, with 503. Default 128 MiB.
   */
  readonly maxUnfinishedBytes?: number;
  /** The time that a body may take to arrive, in milliseconds. Default 20,000. */
  readonly bodyMs?: number;
  readonly sessions?: SessionOptions;
  /** The store of sessions, events, counters and tasks. Default: in memory. */
  readonly state?: State;
  /** The interval of the heartbeat on an idle stream, in milliseconds. Default 15,000. */
  readonly keepAliveMs?: number;
  /** The time after which a reader that takes nothing is cut, in milliseconds. Default 30,000. */
  readonly stallMs?: number;
  /** Determines the principal from the request; undefined for an anonymous caller. An RpcError that it throws refuses the request with 403. */
  readonly identify?: (request: HttpRequest) => Principal | undefined | Promise<Principal | undefined>;
  /**
   * Authorization: `bearer` of `allspeak/auth`. Every request is checked, on every route but the
   * health path and the public metadata. Takes the place of `identify`.
   */
  readonly auth?: ServerAuth;
  /**
   * Limits of calls, from all callers and from each; `false` for none.
   *
   * Default: 1,000 at once; 6,000 a minute and 100 at once from each address on another
   * machine without a principal. Further calls are answered with 429 or 503.
   */
  readonly limits?: LimitOptions | false;
  /**
   * The proxies that are trusted with the address of a client: the number of proxies that add to
   * `X-Forwarded-For`, or the name of the header that holds the address.
   *
   * Default: none. Behind a proxy on another machine all clients then share its address.
   */
  readonly trustProxy?: TrustProxy;
  /**
   * Sends pings at an interval, in revisions that have them: over the stream beside the calls of a session, over
   * HTTP+SSE and over WebSockets. A stream or connection whose client answers none is closed; the session goes on.
   * Default: none.
   */
  readonly ping?: PingOptions | undefined;
  readonly debug?: DebugOption | undefined;
}

export interface SessionOptions {
  /** Gives out no session ids: each request of the revisions with sessions is served by itself. Default false. */
  readonly stateless?: boolean;
  /** The time after which an idle session expires, in milliseconds. Default 30 minutes. */
  readonly idleMs?: number;
  /** The number of sessions, at most. Beyond it the caller with the most loses the one that has been idle longest. Default 10,000. */
  readonly max?: number;
  /**
   * Bytes of all sessions: the descriptions of clients, and what they subscribed to. Default 64 MiB.
   *
   * Where nodes share a state, one caller may have them store 4 times as much, and all callers 64 times: of sessions
   * within `idleMs`, and of events of calls within `resumeMs`.
   */
  readonly maxBytes?: number;
  /** The time that a client has to come back to a broken stream, in milliseconds. Default 60,000. */
  readonly resumeMs?: number;
  /** The delay before clients reconnect, which the `retry` field of events carries, in milliseconds. Default 1,000. */
  readonly retryMs?: number;
  /**
   * Makes the id of a new session. Default: 128 random bits.
   *
   * For ids that also name the node which has the session, such as the id of a Durable Object. Whoever guesses an id
   * can use the session of a caller without a principal.
   */
  readonly createId?: () => string;
}

export const httpOptionKinds: OptionKinds<HttpOptions> = {
  publicUrl: "url",
  allowedHosts: "strings",
  allowedOrigins: "strings",
  path: "path",
  sse: { "": "false", path: "path", messagesPath: "path" },
  healthPath: "path|false",
  maxBodyBytes: "number",
  maxUnfinishedBytes: "number",
  bodyMs: "number",
  sessions: {
    stateless: "boolean",
    idleMs: "number",
    max: "number",
    maxBytes: "number",
    resumeMs: "number",
    retryMs: "number",
    createId: "function",
  } satisfies OptionKinds<SessionOptions>,
  state: "object",
  keepAliveMs: "number",
  stallMs: "number",
  identify: "function",
  auth: "object",
  limits: { "": "false", ...limitOptionKinds },
  trustProxy: "number|string",
  ping: pingOptionKinds,
  debug: "boolean|function",
};

const minute = 60_000;

export interface SsePaths {
  readonly path: string;
  readonly messagesPath: string;
  /** The URL of `messagesPath` as clients see it, where a public URL was given: a proxy may remove a part of the path. */
  readonly messagesUrl: string | undefined;
}

/** All settings, with their defaults filled in. */
export interface HttpSettings {
  readonly path: string;
  /** The path of the public URL, where it names one. */
  readonly publicPath: string | undefined;
  readonly sse: SsePaths | undefined;
  readonly healthPath: string | undefined;
  readonly maxBodyBytes: number;
  readonly maxUnfinishedBytes: number;
  readonly bodyMs: number;
  readonly keepAliveMs: number;
  readonly stallMs: number;
  readonly ping: PingOptions | undefined;
  readonly sessions: Required<SessionOptions>;
  readonly identify: HttpOptions["identify"];
  readonly trustProxy: TrustProxy | undefined;
}

export function toHttpSettings(options: HttpOptions): HttpSettings {
  const { path = "/mcp", healthPath = "/health", sessions = {}, ping } = options;
  assertPingOptions(ping);
  return {
    path,
    publicPath: toPublicPath(options),
    sse: toSsePaths(options, path),
    healthPath: healthPath || undefined,
    maxBodyBytes: options.maxBodyBytes ?? defaultMaxBodyBytes,
    maxUnfinishedBytes: options.maxUnfinishedBytes ?? 128 * 1024 ** 2,
    bodyMs: options.bodyMs ?? 20_000,
    keepAliveMs: options.keepAliveMs ?? 15_000,
    stallMs: options.stallMs ?? 30_000,
    ping,
    sessions: {
      stateless: sessions.stateless ?? false,
      idleMs: sessions.idleMs ?? 30 * minute,
      max: sessions.max ?? 10_000,
      maxBytes: sessions.maxBytes ?? 64 * 1024 ** 2,
      resumeMs: sessions.resumeMs ?? minute,
      retryMs: sessions.retryMs ?? 1000,
      createId: sessions.createId ?? createSessionId,
    },
    identify: options.identify,
    trustProxy: options.trustProxy,
  };
}

function toSsePaths({ sse = {}, publicUrl }: HttpOptions, endpoint: string): SsePaths | undefined {
  if (sse === false) return undefined;
  const { path = "/sse", messagesPath = "/messages" } = sse;
  if (publicUrl === undefined) return { path, messagesPath, messagesUrl: undefined };
  const publicPath = new URL(publicUrl).pathname;
  const prefix = publicPath.endsWith(endpoint) ? publicPath.slice(0, -endpoint.length) : "";
  return { path, messagesPath, messagesUrl: prefix + messagesPath };
}

function toPublicPath({ publicUrl }: HttpOptions): string | undefined {
  if (publicUrl === undefined) return undefined;
  // A URL without a path only names the host.
  return new URL(publicUrl).pathname.replace(/\/$/, "") || undefined;
}

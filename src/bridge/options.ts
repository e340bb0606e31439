import type { ConnectOptions } from "../client/options.ts";
import type { OptionKinds } from "../contract/options.ts";

/** The options of each connection to the server behind a bridge; its questions go to the callers. */
export type UpstreamOptions = Omit<ConnectOptions, "elicit" | "sample" | "roots" | "capabilities" | "onLog">;

/**
 * The callers that share a connection to the server behind a bridge.
 *
 * - `per-session`: each session has its own; callers without a session share by principal.
 * - `per-principal`: callers of one principal share one. Those that nobody has identified count as one.
 * - `shared`: all callers share one. What a server keeps for one of them, others may see.
 *
 * Callers that can answer different kinds of questions never share.
 */
export type Isolation = "per-session" | "per-principal" | "shared";

export interface BridgeOptions {
  /** Default `per-session`. */
  readonly isolation?: Isolation | undefined;
  /** Options of each connection to the server behind the bridge, such as `auth` or `revisions`. */
  readonly connect?: UpstreamOptions | undefined;
  /** Connections at once; further callers are told to come back. Default 100. */
  readonly maxConnections?: number | undefined;
  /** A connection without calls, and without sessions that have used it, is closed after this time, in milliseconds. Default 300,000. */
  readonly idleMs?: number | undefined;
}

export const bridgeOptionKinds: OptionKinds<BridgeOptions> = {
  isolation: ["per-session", "per-principal", "shared"],
  connect: "object",
  maxConnections: "positive",
  idleMs: "number",
};

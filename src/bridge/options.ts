import type { ConnectOptions } from "../client/options.ts";
import { type Isolation, isolations } from "../contract/caller/isolation.ts";
import type { OptionKinds } from "../contract/options.ts";

/** The options of each connection to the server behind a bridge; its questions go to the callers. */
export type BridgeConnectOptions = Omit<
  ConnectOptions,
  "elicit" | "sample" | "roots" | "capabilities" | "onLog"
>;

export interface BridgeOptions {
  /**
   * The callers that share a connection to the server. Default `per-session`, where callers without a session share by
   * principal. Callers that nobody has identified count as one principal.
   *
   * Callers that can answer different kinds of questions never share.
   */
  readonly isolation?: Isolation | undefined;
  /** Options of each connection to the server behind the bridge, such as `auth` or `revisions`. */
  readonly connect?: BridgeConnectOptions | undefined;
  /** Connections at once; further callers are asked to come back. Default 100. */
  readonly maxConnections?: number | undefined;
  /**
   * A connection without calls, and without sessions that have used it, is closed after this time, in milliseconds.
   * Default 300,000.
   */
  readonly idleMs?: number | undefined;
}

export const bridgeOptionKinds: OptionKinds<BridgeOptions> = {
  isolation: isolations,
  connect: "object",
  maxConnections: "positive",
  idleMs: "number",
};

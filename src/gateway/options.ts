import type { ConsentRequest } from "../client/options.ts";
import type { Isolation } from "../contract/caller/isolation.ts";
import type { Principal } from "../contract/caller/principal.ts";
import type { OptionKinds } from "../contract/options.ts";
import { type HostOptions, hostOptionKinds } from "../host/options.ts";
import type { Implementation } from "../protocol/model/identity.ts";
import type { GatewayAuditEntry } from "./audit.ts";

/** A tool that is about to run for a caller of a gateway. */
export interface GatewayConsentRequest extends ConsentRequest {
  /** The name of the server in the configuration. */
  readonly serverName: string;
  readonly principal: Principal | undefined;
}

/** Options that mean the same as those of a host. */
type HostPart = Pick<
  HostOptions,
  | "config"
  | "servers"
  | "tools"
  | "watch"
  | "approve"
  | "trustFirst"
  | "store"
  | "pin"
  | "env"
  | "workspaceFolder"
  | "input"
  | "timeout"
  | "openTimeout"
  | "revisions"
  | "fetch"
  | "backOff"
  | "maxRestarts"
  | "maxTools"
  | "maxMessageBytes"
  | "onStderr"
  | "onProblem"
>;

export interface GatewayOptions extends HostPart {
  /** The name and version of the gateway, for its clients. Default: `gateway` and the version of this library. */
  readonly info?: Implementation | undefined;
  /** Instructions to the model on how to use the servers. Default: none. */
  readonly instructions?: string | undefined;
  /** The callers that share a connection to a server. Default `per-session`. */
  readonly isolation?: Isolation | undefined;
  /** Asked before a tool runs; anything but `true` means no. Default: every call is allowed. */
  readonly consent?: ((call: GatewayConsentRequest) => boolean | Promise<boolean>) | undefined;
  /** Called with the name of a server that can be used again, after `onProblem` was told why it could not. */
  readonly onRecovered?: ((server: string) => unknown) | undefined;
  /** Receives an entry for each call of a tool. */
  readonly audit?: ((entry: GatewayAuditEntry) => unknown) | undefined;
  /** Connections to one server at once, beside the one for its lists. Default 100. */
  readonly maxConnections?: number | undefined;
  /**
   * A connection without calls, and without sessions that have used it, is closed after this time, in milliseconds.
   * Default 300,000.
   */
  readonly idleMs?: number | undefined;
  /**
   * Calls of one server that run at a time; more are refused. One principal has at most half of them, and callers without
   * one count as one. Default 100.
   */
  readonly maxRunning?: number | undefined;
  /** The longest wait for lists of servers that are slow; what comes later is announced. Default 5,000. */
  readonly listMs?: number | undefined;
}

const { config, servers, tools, watch, approve, store, pin, env, workspaceFolder, input } = hostOptionKinds;
const { timeout, openTimeout, revisions, fetch, backOff, maxRestarts, maxTools } = hostOptionKinds;
const { trustFirst, maxMessageBytes, onStderr, onProblem, info, isolation } = hostOptionKinds;

export const gatewayOptionKinds: OptionKinds<GatewayOptions> = {
  ...{ config, servers, tools, watch, approve, store, pin, env, workspaceFolder, input },
  ...{ timeout, openTimeout, revisions, fetch, backOff, maxRestarts, maxTools },
  ...{ trustFirst, maxMessageBytes, onStderr, onProblem, info, isolation },
  instructions: "string",
  consent: "function",
  audit: "function",
  onRecovered: "function",
  maxConnections: "positive",
  idleMs: "number",
  maxRunning: "positive",
  listMs: "number",
};

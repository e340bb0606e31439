import type { Target } from "../client/connect/target.ts";
import type { AskContext } from "../client/incoming/custom-request-handler.ts";
import type { LogMessage } from "../client/incoming/notifications.ts";
import { type ConnectOptions, type ConsentRequest, connectOptionKinds } from "../client/options.ts";
import type { TrustStore, TrustValue } from "../client/trust/trust-store.ts";
import { type Isolation, isolations } from "../contract/caller/isolation.ts";
import type { OptionKinds } from "../contract/options.ts";
import type { PingOptions } from "../contract/ping.ts";
import { UsageError } from "../errors.ts";
import type { BackOffOptions } from "../lib/async/back-off.ts";
import type { MaybePromise } from "../lib/async/maybe-promise.ts";
import { isObject } from "../lib/json.ts";
import { describeValue } from "../lib/text/describe-value.ts";
import type { ElicitRequest, ElicitResult } from "../protocol/model/elicitation.ts";
import type { SamplingRequest, SamplingResult } from "../protocol/model/sampling.ts";
import type { HostAuditEntry } from "./audit-entry.ts";
import type { Caller } from "./caller.ts";
import type { ToolRules } from "./catalog/tool-rules.ts";
import { type VariableOptions, variableOptionKinds } from "./config/resolve-server.ts";
import type { Credentials, CredentialsRequest } from "./credentials.ts";
import type { ServerApproval } from "./trust/config-approval.ts";

/** A tool of one of the host's servers that is about to run. */
export interface HostConsentRequest extends ConsentRequest {
  /** The name of the server in the configuration. */
  readonly serverName: string;
  readonly caller: Caller;
}

/** The server that asks, by its name in the configuration, and the caller, unless callers share the connection. */
export interface HostAskContext extends AskContext {
  readonly serverName: string;
  readonly caller: Caller;
}

/** Options of each connection that are the same for all servers. */
type SharedConnectOptions = Pick<
  ConnectOptions,
  | "info"
  | "roots"
  | "pin"
  | "tasks"
  | "revisions"
  | "capabilities"
  | "timeout"
  | "openTimeout"
  | "probeTimeout"
  | "fetch"
  | "strict"
  | "checkOutput"
>;

export interface HostOptions extends SharedConnectOptions, VariableOptions {
  /** Sends pings to each server at an interval; one that no longer answers is restarted. Default: none. */
  readonly ping?: PingOptions | undefined;
  /** The file in which the servers are kept, or several; a later file has priority. */
  readonly config?: string | readonly string[] | undefined;
  /** Servers beside those of the file, by name: entries as in such files, server values, URLs or transports. */
  readonly servers?: { readonly [name: string]: Target } | undefined;
  /** Rules for single tools, by server and tool; they go before those of the files. */
  readonly tools?: { readonly [server: string]: ToolRules } | undefined;
  /** Follows changes of the files, and restarts what changed. Default true. */
  readonly watch?: boolean | undefined;

  /**
   * Asked before a server is started for the first time, and when its entry has changed; anything but `true` holds it back.
   *
   * Default: those that come later, and those that change, are held back until `server.approve()`.
   */
  readonly approve?: ((approval: ServerApproval) => boolean | Promise<boolean>) | undefined;
  /**
   * Trusts the entries that a file has when it is read for the first time. Default: true, but with `approve` false.
   *
   * The `store` remembers which files were read. Entries that are added later are held back, or asked about.
   */
  readonly trustFirst?: boolean | undefined;
  /** Keeps approvals: `fileTrustStore(path)`. Default: in memory, for as long as the host lives. */
  readonly store?: TrustStore | Map<string, TrustValue> | undefined;
  /** Asked before a tool runs; anything but `true` means no. Default: every call is allowed. */
  readonly consent?: ((call: HostConsentRequest) => boolean | Promise<boolean>) | undefined;
  /** Answers what servers ask the user. */
  readonly elicit?: ((ask: ElicitRequest, context: HostAskContext) => MaybePromise<ElicitResult>) | undefined;
  /** Completes a conversation with a model on behalf of a server. */
  readonly sample?:
    | ((ask: SamplingRequest, context: HostAskContext) => MaybePromise<SamplingResult>)
    | undefined;
  /** Receives an entry for each call of a tool. */
  readonly audit?: ((entry: HostAuditEntry) => unknown) | undefined;

  /**
   * The callers that share connections. Default `"shared"`: one connection to each server, for one user.
   *
   * A host that serves several users must choose another: what a server keeps in a session, and what its
   * credentials may do, would else be the same for all of them.
   */
  readonly isolation?: Isolation | undefined;
  /** Gives the credentials for a server, before each call. Connections with different credentials are never shared. */
  readonly credentials?: ((request: CredentialsRequest) => MaybePromise<Credentials | undefined>) | undefined;
  /** Connections that are open at a time; then the one that is idle longest goes. Default 100. */
  readonly maxConnections?: number | undefined;
  /** Closes a connection after so much time without a call, in milliseconds. Default: 10 minutes; never if shared. */
  readonly idleMs?: number | undefined;
  /** The pauses before a server that failed is started again. */
  readonly backOff?: BackOffOptions | undefined;
  /** The number of times in a row that a server is restarted without a call. Default 5. */
  readonly maxRestarts?: number | undefined;

  /** The number of tools above which models get `search_tools` and `call_tool` instead. Default 40. */
  readonly searchAbove?: number | undefined;
  /** The longest time that `tools()` waits for servers that are slow to start, in milliseconds. Default 15,000. */
  readonly listMs?: number | undefined;
  /** Tools of one server; more are left out. Default 1,000. */
  readonly maxTools?: number | undefined;
  /** Calls of one server that run at a time; more fail at once. Default 100. */
  readonly maxRunning?: number | undefined;
  /** The largest message of a server. Default 16 MiB. */
  readonly maxMessageBytes?: number | undefined;

  /** Receives the log messages of servers. */
  readonly onLog?: ((message: LogMessage, serverName: string) => unknown) | undefined;
  /** Receives the lines that commands write to stderr. Default: they are kept for error messages alone. */
  readonly onStderr?: ((line: string, serverName: string) => void) | undefined;
  /** Called with problems that stop nothing. Default: the first twenty go to `console.error`. */
  readonly onProblem?: ((problem: Error, serverName: string | undefined) => void) | undefined;
}

const { info, roots, pin, tasks, revisions, capabilities, timeout, openTimeout } = connectOptionKinds;
const { probeTimeout, ping, fetch, strict, checkOutput } = connectOptionKinds;

/** Refuses a path or the content of a host's file in the place of options, and shows the right form. */
export function assertHostOptions(what: string, options: unknown): void {
  const right = `${what}({ config: ".mcp.json" }), or ${what}({ servers: { notes: { command: "node", args: ["notes.js"] } } })`;
  if (!isObject(options))
    throw new UsageError(`${what} takes options, not ${describeValue(options)}; write ${right}.`);
  if ("mcpServers" in options)
    throw new UsageError(`${what} takes the servers of a file as its option "servers"; write ${right}.`);
}

export const hostOptionKinds: OptionKinds<HostOptions> = {
  ...variableOptionKinds,
  ...{ info, roots, pin, tasks, revisions, capabilities, timeout, openTimeout },
  ...{ probeTimeout, ping, fetch, strict, checkOutput },
  config: "string|strings",
  servers: "object",
  tools: "object",
  watch: "boolean",
  approve: "function",
  trustFirst: "boolean",
  store: "object",
  consent: "function",
  elicit: "function",
  sample: "function",
  audit: "function",
  isolation: isolations,
  credentials: "function",
  maxConnections: "positive",
  idleMs: "number",
  backOff: { firstMs: "number", maxMs: "number" },
  maxRestarts: "number",
  searchAbove: "number",
  listMs: "number",
  maxTools: "positive",
  maxRunning: "positive",
  maxMessageBytes: "positive",
  onLog: "function",
  onStderr: "function",
  onProblem: "function",
};

import type { MessageDirection, Tap } from "../contract/channel.ts";
import { type Timeout, timeoutKinds } from "../contract/deadline.ts";
import type { OptionKinds } from "../contract/options.ts";
import { type PingOptions, pingOptionKinds } from "../contract/ping.ts";
import type { Telemetry } from "../contract/telemetry.ts";
import type { DebugOption } from "../debug/debug-log.ts";
import type { JsonObject } from "../lib/json.ts";
import type { RequestId } from "../protocol/message.ts";
import type { ElicitRequest, ElicitResult } from "../protocol/model/elicitation.ts";
import type { ClientCapabilities, Implementation } from "../protocol/model/identity.ts";
import type { Root } from "../protocol/model/root.ts";
import type { SamplingRequest, SamplingResult } from "../protocol/model/sampling.ts";
import type { Tool } from "../protocol/model/tool.ts";
import type { RevisionName } from "../protocol/negotiate.ts";
import type { HttpClientOptions } from "../transports/http/client/options.ts";
import type { ServerHint, ServerHintCache } from "./connect/known-servers.ts";
import type { AskContext, RequestHandlers } from "./incoming/custom-request-handler.ts";
import type { LogMessage } from "./incoming/notifications.ts";
import type { ToolPins } from "./trust/pins.ts";

export type RootList = readonly (string | Root)[];

export interface RootsResult {
  readonly roots: RootList;
  readonly [member: string]: unknown;
}

export interface RootsContext extends AskContext {
  /** The params of the question; the specification knows none beside `_meta`. */
  readonly params: JsonObject;
}

/** A tool that is about to run. */
export interface ConsentRequest {
  /** The name that the server gives itself, which proves nothing. */
  readonly server: Implementation | undefined;
  /** The key under which the server is remembered: the option of this name, or its address. */
  readonly serverId: string;
  readonly name: string;
  readonly arguments: JsonObject;
  /**
   * The tool as the server last listed it, if it was listed through this client. Its
   * annotations come from the server: hints, not proof.
   */
  readonly tool: Tool | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Support of this client for tasks; each part is off unless it is asked for. */
export interface ClientTaskOptions {
  /**
   * Lets a server answer a call with a task, which is then waited for. Default false.
   *
   * In the revision where the client decides that, a call becomes one by its `task` option.
   */
  readonly calls?: boolean | undefined;
  /** Lets the server put its own questions as tasks, in the revision that has this. Default false. */
  readonly asks?: boolean | undefined;
}

/** `fetch`, `headers` and `auth` are for servers that are reached by a URL. */
export interface ConnectOptions extends Pick<HttpClientOptions, "fetch" | "headers" | "auth"> {
  /** The name of this client for the server. Default: allspeak and its version. */
  readonly info?: Implementation | undefined;

  /**
   * Answers what the server asks the user, as a form or by a URL to visit.
   *
   * Accepted form content is completed with the schema's defaults and checked against
   * the schema. A URL is never opened here: show it whole, and open it only when the
   * user agrees. URLs other than http and https, and those that look like others (a user
   * name, letters beyond ASCII, control characters), are refused before they get here.
   */
  readonly elicit?:
    | ((ask: ElicitRequest, context: AskContext) => ElicitResult | Promise<ElicitResult>)
    | undefined;
  /** Completes a conversation with a model on behalf of the server. */
  readonly sample?:
    | ((ask: SamplingRequest, context: AskContext) => SamplingResult | Promise<SamplingResult>)
    | undefined;
  /**
   * The places that the server may work in, as `file:` URIs; a function is asked each time. It may return the whole
   * result, with `_meta` or other members beside `roots`.
   */
  readonly roots?:
    | RootList
    | ((context: RootsContext) => RootList | RootsResult | Promise<RootList | RootsResult>)
    | undefined;
  /**
   * Asks the host before a tool runs; anything but `true` means no, and then nothing is sent.
   *
   * Default: every call is allowed. A server's description of a tool is its own word.
   * `consentPolicy` makes one that follows rules and remembers answers.
   */
  readonly consent?: ((call: ConsentRequest) => boolean | Promise<boolean>) | undefined;
  /**
   * Holds back tools that have changed since they were first seen, or that take another's
   * name: `pinTools()`. Calls of them reject with a ToolHeldError, and lists leave them out.
   */
  readonly pin?: ToolPins | undefined;
  /**
   * The key under which consent and pins are remembered. Default: the URL without its query, or
   * the command with its arguments; the name that the server gives itself where there is neither.
   */
  readonly serverId?: string | undefined;

  /**
   * Support for tasks; `true` means `{ calls: true }`.
   *
   * Default: none, and servers of 2026-07-28 answer every call with its result, or refuse it if
   * its tool works only as a task.
   */
  readonly tasks?: boolean | ClientTaskOptions | undefined;

  /** The revisions that may be spoken. Default: all. */
  readonly revisions?: readonly RevisionName[] | undefined;
  /** The `client.hint` of the last connection: saves the probe. A wrong one costs time, nothing else. */
  readonly hint?: ServerHint | undefined;
  /** The cache of hints about servers with an address. Default: in memory, for as long as the process lives. */
  readonly hints?: ServerHintCache | undefined;
  /** Capabilities that the server must have (`"tools"`, `"resources.subscribe"`); else `connect` rejects. */
  readonly requires?: readonly string[] | undefined;
  /**
   * Declared beside those that follow from the handlers: `experimental`, `extensions`.
   *
   * For what a handler is given, this replaces what would be declared:
   * `{ elicitation: { form: {} } }` leaves URLs out, `{ sampling: { tools: {} } }` adds tools.
   */
  readonly capabilities?: ClientCapabilities | undefined;

  /** Limits of every call that does not set its own. Default: 60 s of silence, 10 minutes in all. */
  readonly timeout?: Timeout | undefined;
  /** The longest time that connecting may take in all, the probe included, in milliseconds. Default 60,000. */
  readonly openTimeout?: number | undefined;
  /**
   * The longest wait for a sign that the server speaks the newest revision, in milliseconds. Default 2,500.
   *
   * A command that has written nothing yet has four times as long. Later signs count until `initialize` is answered.
   */
  readonly probeTimeout?: number | undefined;
  /**
   * Sends pings at an interval, to notice a server that no longer answers. Default: none.
   *
   * In 2026-07-28, which has no ping, `server/discover` takes its place.
   */
  readonly ping?: PingOptions | undefined;
  /** Gives up connecting. Once connected it has no effect: use `client.close()`. */
  readonly signal?: AbortSignal | undefined;

  /** Refuses a list or result with an invalid item, instead of leaving the item out and reporting it. */
  readonly strict?: boolean | undefined;
  /**
   * Checks structured results against the tool's output schema, where the
   * tool was listed through this client before. Default true.
   *
   * A tool whose schema can't be used safely (too large, a remote reference) is then
   * refused before it runs, since its results could not be checked.
   */
  readonly checkOutput?: boolean | undefined;

  readonly debug?: DebugOption | undefined;
  /** Observes all requests: `otel(api)` of `allspeak/otel` makes spans and metrics. Default: nothing does. */
  readonly telemetry?: Telemetry | undefined;
  /** Called with every message, both ways, as it is on the wire. */
  readonly onMessage?:
    | ((message: JsonObject | readonly unknown[], direction: MessageDirection) => void)
    | undefined;
  /** Called with the text of every message, both ways, also of those that are not JSON. */
  readonly onText?: Tap | undefined;
  /**
   * Answers requests of the server that the specification does not have, by method:
   * `{ "acme/ask": requestHandler({ params }, (params) => …) }`. In 2026-07-28 servers send no requests.
   */
  readonly onRequest?: RequestHandlers | undefined;
  readonly onNotification?: ((method: string, params: JsonObject) => unknown) | undefined;
  /** `relatedTo` is the id of the request that the message came with, where the transport knows it. */
  readonly onLog?: ((message: LogMessage, relatedTo?: RequestId) => unknown) | undefined;
  /**
   * Called when a lost session has been set up again, subscriptions too.
   *
   * Changes may have been missed meanwhile.
   */
  readonly onReconnected?: (() => unknown) | undefined;
  /**
   * Called with problems that stop nothing: stray answers, stray output on a pipe, invalid items of a
   * list, a listener that threw.
   *
   * Default: the first twenty go to `console.error`.
   */
  readonly onProblem?: ((problem: Error) => void) | undefined;
}

const infoKinds: OptionKinds<Implementation> = {
  name: "string",
  version: "string",
  title: "string",
  description: "string",
  websiteUrl: "string",
  icons: "array",
};

const taskKinds: OptionKinds<ClientTaskOptions> = { calls: "boolean", asks: "boolean" };

export const connectOptionKinds: OptionKinds<ConnectOptions> = {
  fetch: "function",
  headers: "object|function",
  auth: "auth",
  info: infoKinds,
  elicit: "function",
  sample: "function",
  roots: "array|function",
  consent: "function",
  pin: "pins",
  serverId: "string",
  tasks: { "": "boolean", ...taskKinds },
  revisions: "strings",
  hint: "object",
  hints: "object",
  requires: "serverCapabilities",
  capabilities: "object",
  timeout: timeoutKinds,
  openTimeout: "number",
  probeTimeout: "number",
  ping: pingOptionKinds,
  signal: "signal",
  strict: "boolean",
  checkOutput: "boolean",
  debug: "boolean|function",
  telemetry: "object",
  onMessage: "function",
  onText: "function",
  onRequest: "object",
  onNotification: "function",
  onLog: "function",
  onReconnected: "function",
  onProblem: "function",
};

import type { Channel, RequestOptions } from "../contract/channel.ts";
import { defaultTimeout, type Timeout, timeoutKinds } from "../contract/deadline.ts";
import { assertOptions, type OptionKinds } from "../contract/options.ts";
import { type Destination, observeSending, type Telemetry } from "../contract/telemetry.ts";
import {
  CapabilityError,
  InvalidResponseError,
  NotInRevisionError,
  RpcError,
  UsageError,
} from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import type { RequestId } from "../protocol/message.ts";
import { MetaKey } from "../protocol/meta.ts";
import type { Method } from "../protocol/method.ts";
import { type ClientCapabilities, hasCapability } from "../protocol/model/identity.ts";
import type { LogLevel } from "../protocol/model/logging.ts";
import { tasksCapability } from "../protocol/model/task.ts";
import type { Revision } from "../protocol/revision.ts";
import { revisions } from "../protocol/revisions/index.ts";
import { joinMeta, SharedMeta } from "../protocol/shared-meta.ts";
import { WireCode } from "../protocol/wire-error.ts";
import type { Agreement, ServerDescription } from "./agreement.ts";
import { type ClientCall, type ClientMiddleware, runClientMiddlewares } from "./middleware.ts";
import { callSafely, type Report } from "./report.ts";
import type { RequestHeaderMiddleware } from "./request-headers.ts";
import { type ClientProfile, createRequestMeta } from "./request-meta.ts";
import { SentCall } from "./sent-call.ts";
import { tasksAdvice } from "./tasks/declared-tasks.ts";

export interface CallOptions extends Pick<RequestOptions, "signal" | "timeout" | "onProgress"> {
  /** Metadata for `_meta` of the params. */
  readonly meta?: JsonObject | undefined;
  /**
   * Sends the call again, once, when it was lost on the way and may have been carried out.
   *
   * Default: only methods that are idempotent, and tools that the server marks so. `false` forbids it for these too.
   */
  readonly retry?: boolean | undefined;
}

type CallOptionKinds = OptionKinds<CallOptions & Omit<RequestOptions, "sharedMeta">>;

export const callOptionKinds: CallOptionKinds = {
  signal: "signal",
  timeout: timeoutKinds,
  onProgress: "function",
  meta: "object",
  retry: "boolean",
  headers: "object",
  onId: "function",
  onSize: "function",
  suppressCancel: "boolean",
  wantsProgress: "boolean",
};

export interface InputRoundOptions {
  /**
   * Behaviour when the server asks for input before it finishes.
   *
   * Default "automatic": it is answered by the handlers until the result is complete.
   * "manual": the unfinished result is returned as it is.
   */
  readonly rounds?: "automatic" | "manual" | undefined;
}

export interface RawRequestOptions extends CallOptions, InputRoundOptions {
  /** Called with the id of the request just before it is sent, and again if it is sent again. */
  readonly onId?: ((id: RequestId) => void) | undefined;
}

export interface RequestsOptions {
  readonly profile: ClientProfile;
  readonly timeout: Timeout | undefined;
  readonly report: Report;
  /** The innermost step before the channel, where the channel carries headers. */
  readonly headers?: RequestHeaderMiddleware | undefined;
  readonly telemetry?: Telemetry | undefined;
  readonly to?: Destination | undefined;
}

const noLimits: Timeout = {};

/** Sends requests as the agreed revision encodes them. */
export class Requests {
  readonly revision: Revision;
  readonly server: ServerDescription;
  readonly #channel: Channel;
  readonly #options: RequestsOptions;
  readonly #middlewares: ClientMiddleware[] = [];
  /** The way to the server, inside all middlewares. */
  readonly #send: (call: ClientCall) => Promise<JsonObject>;
  /** The description of this client in each request, in revisions that want it. */
  #meta: SharedMeta | undefined;

  constructor({ channel, revision, server }: Agreement, options: RequestsOptions) {
    this.#channel = channel;
    this.revision = revision;
    this.server = server;
    this.#options = options;
    const { headers } = options;
    const transmit = (call: ClientCall) => this.#transmit(call);
    this.#send = headers ? (call) => headers.send(call, transmit) : transmit;
    if (revision.opening === "each-request")
      this.#meta = new SharedMeta(createRequestMeta(revision, options.profile));
  }

  /** The capabilities that this client declares. */
  get capabilities(): ClientCapabilities {
    return this.#options.profile.capabilities;
  }

  /** The timeout of all calls that do not set their own. */
  get timeout(): Timeout | undefined {
    return this.#options.timeout;
  }

  /** True for a result that asks for another round. */
  isUnfinished({ resultType }: JsonObject): boolean {
    return resultType === "input_required" && this.revision.asking === "rounds";
  }

  use(middleware: ClientMiddleware): void {
    this.#middlewares.push(middleware);
  }

  /**
   * Throws before anything is sent when a method can't work with this server.
   *
   * Methods that no revision has are between the two programs and pass.
   */
  assertAvailable(method: string): void {
    const row = this.revision.methods.get(method);
    if (row === undefined) {
      if (revisions.some(({ methods }) => methods.has(method)))
        throw new NotInRevisionError(method, this.revision.version);
      return;
    }
    if (row.from === "server") throw new UsageError(`${method} is for servers to send.`);
    if (row.needs?.side === "server" && !hasCapability(this.server.capabilities, row.needs.capability))
      throw new CapabilityError(row.needs.capability, "server", method);
  }

  /** From now on every request asks for log messages of this level, where requests do. */
  setRequestLogLevel(level: LogLevel): void {
    if (this.#meta) this.#meta = new SharedMeta({ ...this.#meta.members, [MetaKey.logLevel]: level });
  }

  /** Sends a request with options of the host; rejects if they, or the method, can't be used. */
  async send(
    method: string,
    params: JsonObject,
    options: CallOptions & RequestOptions = {},
  ): Promise<JsonObject> {
    return this.sendCall(this.toCall(method, params, options));
  }

  /** The call for options of the host; throws if they, or the method, can't be used. */
  toCall(
    method: string,
    params: JsonObject,
    options: CallOptions & RequestOptions,
    kinds: CallOptionKinds = callOptionKinds,
  ): SentCall {
    this.assertAvailable(method);
    assertOptions(method, options, kinds);
    const { meta } = options;
    return new SentCall(method, meta ? { ...params, _meta: meta } : params, options);
  }

  /** Joins the requests of one operation for those who observe them. */
  join<T>(run: () => Promise<T>): Promise<T> {
    return this.#options.telemetry?.join(run) ?? run();
  }

  /** Sends a call through the middlewares. */
  sendCall(call: ClientCall): Promise<JsonObject> {
    return runClientMiddlewares(this.#middlewares, call, this.#send);
  }

  async notify(method: string, params: JsonObject): Promise<void> {
    this.assertAvailable(method);
    // Notifications of the specification carry no metadata about their sender.
    const meta = this.revision.methods.has(method) ? undefined : this.#meta;
    const { telemetry, to } = this.#options;
    const notification = { method, params, revision: this.revision.version, to };
    await observeSending(telemetry, notification, (sent) =>
      this.#channel.notify(method, meta ? joinMeta(sent, meta.members) : sent),
    );
  }

  #transmit(call: ClientCall): Promise<JsonObject> {
    const { telemetry, to } = this.#options;
    if (telemetry === undefined) return this.#exchange(call);
    const { method, params } = call;
    return telemetry.send({ method, params, revision: this.revision.version, to }, (traced, onSent) =>
      this.#exchange({
        ...call,
        params: traced,
        onId: (id) => {
          onSent(id);
          call.onId?.(id);
        },
      }),
    );
  }

  #exchange(call: ClientCall): Promise<JsonObject> {
    const { method } = call;
    const row = this.revision.methods.get(method);
    const params = this.revision.encode.params(method, call.params);
    return this.#channel.request(method, params, this.#toRequestOptions(call, row)).then(
      (result) => this.#checkResult(method, row, result),
      (error: unknown) => explain(error, method),
    );
  }

  #checkResult(method: string, row: Method | undefined, result: JsonObject): JsonObject {
    if (this.revision.asking === "rounds" && !this.#mayBeTask(row, result))
      assertResultType(method, row, result);
    return result;
  }

  #toRequestOptions(call: ClientCall, row: Method | undefined): RequestOptions {
    const { signal, onProgress, onId, onSize, suppressCancel, headers, retry = row?.idempotent } = call;
    const timeout = mergeTimeouts(this.timeout, call.timeout);
    const wantsProgress = (row === undefined || row.rounds) && isIdleLimited(timeout);
    const { report } = this.#options;
    return {
      signal,
      timeout,
      wantsProgress,
      onProgress: onProgress && ((progress) => callSafely(report, () => onProgress(progress))),
      onId,
      onSize,
      suppressCancel,
      retry,
      headers,
      sharedMeta: this.#meta,
    };
  }

  /**
   * True for a task in answer to a call, from a server that knows that we support tasks.
   *
   * ext-tasks/tasks#polymorphic-results (draft)
   */
  #mayBeTask(row: Method | undefined, { resultType }: JsonObject): boolean {
    if (resultType !== "task" || row?.taskCapability === undefined) return false;
    return hasCapability(this.capabilities, tasksCapability);
  }
}

/** The limits of a call, which go before those of the client. */
function mergeTimeouts(ofClient: Timeout = noLimits, ofCall: Timeout | undefined): Timeout {
  return ofCall ? { ...ofClient, ...ofCall } : ofClient;
}

/** True when silence can end a request before its total time does, so that progress matters as a sign of life. */
function isIdleLimited({ idle = defaultTimeout.idle, total = defaultTimeout.total }: Timeout): boolean {
  return idle < total;
}

/** Rejects with the error of a request, or with a better one. */
async function explain(error: unknown, method: string): Promise<never> {
  if (!lacksCapability(error)) throw error;
  // Loaded when needed: it makes a good message of a rare error.
  const { explainRefusal } = await import("./refusal-advice.ts");
  throw explainRefusal(error, method);
}

/** True for the refusal of a server that wants a capability of this client. */
function lacksCapability(error: unknown): error is RpcError {
  return error instanceof RpcError && error.wireCode === WireCode.missingClientCapability;
}

/** An absent type is that of an older server. basic#resulttype (2026-07-28) */
function assertResultType(method: string, row: Method | undefined, { resultType }: JsonObject): void {
  if (resultType === undefined || resultType === null || resultType === "complete") return;
  if (resultType === "input_required" && row?.rounds) return;
  const problem = `${method} was answered with the result type ${JSON.stringify(resultType)}`;
  const isTask = resultType === "task" && row?.taskCapability !== undefined;
  throw new InvalidResponseError(isTask ? `${problem}; to take tasks, ${tasksAdvice}.` : `${problem}.`);
}

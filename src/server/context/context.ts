import type { HttpView } from "../../contract/caller/http-view.ts";
import type { Principal } from "../../contract/caller/principal.ts";
import type { RequestOptions } from "../../contract/channel.ts";
import type { ContextKey } from "../../contract/context-key.ts";
import type { Timeout } from "../../contract/deadline.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { RequestId } from "../../protocol/message.ts";
import type { ElicitResult } from "../../protocol/model/elicitation.ts";
import type { ClientDeclaration } from "../../protocol/model/identity.ts";
import type { LogLevel } from "../../protocol/model/logging.ts";
import type { Root } from "../../protocol/model/root.ts";
import type { SamplingRequest, SamplingResult } from "../../protocol/model/sampling.ts";
import type { SchemaInput } from "../../schema/compile.ts";
import type { InferOutput } from "../../schema/infer.ts";
import type { TaskHandle } from "../tasks/task-options.ts";
import type { AsJson } from "./as-json.ts";

/** The context of one call: the caller, and the ways to send it messages and questions. */
export interface Context {
  /** Aborted when the caller cancels or its connection ends. */
  readonly signal: AbortSignal;
  readonly requestId: RequestId;
  /** The client's info and capabilities, as it declared them. */
  readonly client: ClientDeclaration;
  readonly principal: Principal | undefined;
  /** The network address of the caller, as far as it is known; undefined in a task. */
  readonly address: string | undefined;
  /**
   * The HTTP request that brought the call. Over a WebSocket and HTTP+SSE it is the one that opened the connection.
   * Undefined where there is none, as over stdio, and in a task, which outlives it.
   */
  readonly http: HttpView | undefined;
  /** The session; undefined where the revision has none. */
  readonly session: { readonly id: string } | undefined;
  /** The date of the caller's protocol revision. */
  readonly revision: string;
  /** The `_meta` of the request. */
  readonly meta: JsonObject;
  /** The answers to an earlier round, for a handler that asks by returning `inputRequired`. */
  readonly inputResponses: JsonObject;
  /** The state that the handler passed to `inputRequired`. The client carried it encrypted, and could not read or change it. */
  readonly requestState: string | undefined;

  /** The value that a middleware gave under this key; throws UsageError where none did. */
  get<T>(key: ContextKey<T>): T;

  /**
   * Sends progress if the caller asked for it. The value must increase.
   *
   * basic/utilities/progress#progress-flow (2025-11-25)
   */
  progress(progress: number, total?: number, message?: string): Promise<void>;
  /**
   * Closes the connection while the call goes on; the client comes back for the answer.
   *
   * For long calls behind proxies that cut idle connections. Does nothing where the client can't
   * reconnect to a call.
   */
  disconnect(): void;
  /** Sends a log message to the client, unless the level is below the one it set. */
  log(level: LogLevel, data: unknown, logger?: string): Promise<void>;

  /**
   * Asks the user to fill in a form, whose schema must be flat: strings, numbers,
   * booleans and choices; or to visit a URL, for data that must not pass through the client.
   *
   * In 2026-07-28 and in tasks the handler ends here and runs again from the top with the answer. Ask the
   * same questions in every run, and put side effects into `once`. A question is identified by `key`, or
   * by the order of asking.
   */
  elicit(
    key: string,
    message: string,
    elicitation: UrlElicitation,
    options?: AskOptions<ElicitResult>,
  ): Promise<ElicitResult>;
  elicit<S extends SchemaInput>(
    key: string,
    message: string,
    schema: S,
    options?: AskOptions<Elicited<InferOutput<S>>>,
  ): Promise<Elicited<InferOutput<S>>>;
  elicit(
    message: string,
    elicitation: UrlElicitation,
    options?: AskOptions<ElicitResult>,
  ): Promise<ElicitResult>;
  elicit<S extends SchemaInput>(
    message: string,
    schema: S,
    options?: AskOptions<Elicited<InferOutput<S>>>,
  ): Promise<Elicited<InferOutput<S>>>;
  /**
   * Notifies the client that the user has completed a URL elicitation; `id` is the one passed to
   * `elicit`. Does nothing where the revision has no such notification.
   */
  completeElicitation(id: string): Promise<void>;
  /** Asks the client's model for a message. */
  sample(key: string, request: SamplingRequest, options?: AskOptions<Sampled>): Promise<Sampled>;
  sample(request: SamplingRequest, options?: AskOptions<Sampled>): Promise<Sampled>;
  /** The folders and files that the client lets the server work on. */
  roots(options?: AskOptions<readonly Root[]>): Promise<readonly Root[]>;
  /**
   * Runs a function once per call, even if the handler runs several times, and returns its result in
   * every run. The result must be JSON. A function that throws runs again.
   */
  once<T>(key: string, run: () => T | Promise<T>): Promise<AsJson<T>>;

  /**
   * Sends a request that the specification does not have to the client, while the call is open.
   *
   * In 2026-07-28 servers send no requests: there this throws a NotInRevisionError. In a task it
   * throws a UsageError, because the caller was answered already.
   */
  request(method: string, params?: JsonObject, options?: CustomRequestOptions): Promise<JsonObject>;
  /** Sends a notification that the specification does not have, as part of this call. In a task it is dropped. */
  notify(method: string, params?: JsonObject): Promise<void>;

  /** The task that the call runs as, if it does. */
  readonly task: TaskHandle | undefined;
  /**
   * Makes the call a task, if the tool `detaches` and the client supports tasks; otherwise does nothing.
   * The handler ends here and runs again from the top, without its caller.
   */
  detach(): Promise<void>;
}

export interface CustomRequestOptions extends Pick<RequestOptions, "signal" | "timeout" | "onProgress"> {
  /** The extension that the request belongs to; a client that does not declare it is not asked. */
  readonly extension?: string | undefined;
}

/** A URL that the user is asked to visit: client/elicitation#url-mode-elicitation-requests (2025-11-25). */
export interface UrlElicitation {
  readonly url: string;
  /** The id for `ctx.completeElicitation`. Default: a random one. */
  readonly id?: string | undefined;
}

export interface AskOptions<T> {
  /** The answer if the client can't be asked. Without it, `CapabilityError` or `NotInRevisionError` is thrown. */
  readonly fallback?: T;
  readonly timeout?: Timeout;
  /** Asks as a task of the client, which may take long to answer, if the client supports that. Default false. */
  readonly task?: boolean | undefined;
}

/** The answer to a form. A declined or cancelled one is an answer, not an error. */
export type Elicited<T> =
  | { readonly action: "accept"; readonly content: T }
  | { readonly action: "decline" | "cancel"; readonly content?: undefined };

export interface Sampled extends SamplingResult {
  /** The text of all content blocks, joined. */
  readonly text: string;
}

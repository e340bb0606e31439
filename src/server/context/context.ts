import type { RequestOptions } from "../../contract/channel.ts";
import type { Timeout } from "../../contract/deadline.ts";
import type { Principal } from "../../contract/principal.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { RequestId } from "../../protocol/message.ts";
import type { ElicitResult, Root, SamplingRequest, SamplingResult } from "../../protocol/model/ask.ts";
import type { ClientDeclaration } from "../../protocol/model/identity.ts";
import type { LogLevel } from "../../protocol/model/logging.ts";
import type { InferOutput, SchemaInput } from "../../schema/index.ts";
import type { TaskHandle } from "../tasks/task-options.ts";
import type { AsJson } from "./as-json.ts";

/** Everything a handler knows about its caller, and the ways back to it. */
export interface Context {
  /** Aborted when the caller cancels, times out on its connection, or is gone. */
  readonly signal: AbortSignal;
  readonly requestId: RequestId;
  /** What the client says of itself. */
  readonly client: ClientDeclaration;
  readonly principal: Principal | undefined;
  /** Absent where the revision has no sessions. */
  readonly session: { readonly id: string } | undefined;
  /** The date of the revision this caller speaks. */
  readonly revision: string;
  /** The `_meta` of the request. */
  readonly meta: JsonObject;
  /** Answers to an earlier round of this call, where the handler asks by returning `inputRequired`. */
  readonly inputResponses: JsonObject;
  /** What the handler gave along with `inputRequired`. The client has carried it, and can neither read nor change it. */
  readonly requestState: string | undefined;

  /** Reports how far the call is; does nothing unless the caller asked for it. Must grow. */
  progress(progress: number, total?: number, message?: string): Promise<void>;
  /**
   * Closes the connection while the call goes on; the client comes back for the answer.
   *
   * For long calls behind proxies that cut idle connections. Does nothing where the
   * revision or the transport has no way back.
   */
  disconnect(): void;
  /** Sends a log message to the client if it wants to hear of that level. */
  log(level: LogLevel, data: unknown, logger?: string): Promise<void>;

  /**
   * Asks the user to fill in a form, whose schema must be flat: strings, numbers,
   * booleans and choices; or to visit a URL, for what must not pass through the client.
   *
   * Where the revision has no requests from servers, the handler ends here and runs again
   * from the top with the answer: ask the same in every run, and do what must not be done
   * twice in `once`. A question is known by `key`, or by the order of asking.
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
   * Tells the client that the user has done what a page was to be visited for; `id` is the
   * one that `elicit` was given with it. Does nothing where the revision has no word for it.
   */
  completeElicitation(id: string): Promise<void>;
  /** Asks the client's model. */
  sample(key: string, request: SamplingRequest, options?: AskOptions<Sampled>): Promise<Sampled>;
  sample(request: SamplingRequest, options?: AskOptions<Sampled>): Promise<Sampled>;
  /** The folders and files the client says the server may work on. */
  roots(options?: AskOptions<readonly Root[]>): Promise<readonly Root[]>;
  /**
   * Does something once, however often the handler is run to answer this call, and gives
   * its result, which must be JSON. What throws was not done.
   */
  once<T>(key: string, run: () => T | Promise<T>): Promise<AsJson<T>>;

  /**
   * Sends a request that the specification does not have to the client, while the call is open.
   *
   * In 2026-07-28 servers send no requests: there this throws a NotInRevisionError.
   */
  request(method: string, params?: JsonObject, options?: OwnRequestOptions): Promise<JsonObject>;
  /** Sends a notification that the specification does not have, as part of this call. */
  notify(method: string, params?: JsonObject): Promise<void>;

  /** What the call is to those who look after it, where it runs as a task. */
  readonly task: TaskHandle | undefined;
  /**
   * From here on the call is a task, if the tool `detaches` and the caller knows tasks; else
   * nothing happens. The handler ends here and runs again from the top, without its caller.
   */
  detach(): Promise<void>;
}

export interface OwnRequestOptions extends Pick<RequestOptions, "signal" | "timeout" | "onProgress"> {
  /** The extension that the request belongs to; a client that does not declare it is not asked. */
  readonly extension?: string | undefined;
}

/** A page the user is asked to visit. */
export interface UrlElicitation {
  readonly url: string;
  /** Under which the client hears that the visit is over, by `ctx.visited`. Default: a random one. */
  readonly id?: string | undefined;
}

export interface AskOptions<T> {
  /** Taken when the client can't be asked; without it that is a CapabilityError or NotInRevisionError. */
  readonly fallback?: T;
  readonly timeout?: Timeout;
  /** Puts the question as a task of the client, which it may take long for, where it takes such. Default false. */
  readonly task?: boolean | undefined;
}

/** A declined or cancelled question is an answer, not an error. */
export type Elicited<T> =
  | { readonly action: "accept"; readonly content: T }
  | { readonly action: "decline" | "cancel"; readonly content?: undefined };

export interface Sampled extends SamplingResult {
  /** All text of the answer in one string. */
  readonly text: string;
}

import { toCancelled } from "../contract/cancelled-error.ts";
import {
  type Channel,
  type HeaderRecord,
  type IncomingRequest,
  type Receiver,
  type RequestOptions,
  type Tap,
  toProgress,
} from "../contract/channel.ts";
import type { Pipe, PipeSink } from "../contract/pipe.ts";
import {
  ConnectionClosedError,
  type ErrorObject,
  InvalidResponseError,
  McpError,
  MessageTooLargeError,
  RpcError,
} from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { encodeRequest } from "../protocol/encode-request.ts";
import {
  type Batch,
  encodeFailure,
  encodeNotification,
  type InvalidMessage,
  invalidMessage,
  isRequestId,
  type Message,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
} from "../protocol/message.ts";
import { methods } from "../protocol/method-table.ts";
import { parseMessage } from "../protocol/parse.ts";
import type { Revision } from "../protocol/revision.ts";
import { strayOutput } from "../protocol/stray-output-text.ts";
import { answerBatch } from "./batch.ts";
import { IncomingRequests } from "./incoming-requests.ts";
import type { OnGiveUp, OutgoingRequests } from "./outgoing-requests.ts";
import type { RequestBudget } from "./request-budget.ts";
import { type Reply, Responder } from "./responder.ts";
import type { readUnparsedResponse } from "./unparsed-message.ts";

/** The rules of a revision for the envelope of messages. */
export type EnvelopeRules = Pick<
  Revision,
  "receivesBatches" | "unreadableId" | "cancelsByClosing" | "asking"
>;

export interface PeerOptions {
  readonly receiver: Receiver;
  /** The parts of a client, which only reports a message that it can't read. A server answers it. */
  readonly client?: ClientPeerParts;
  /** Called for each message that needs it, because the revision is negotiated over the same pipe. */
  readonly revision?: (() => EnvelopeRules | undefined) | undefined;
  readonly tap?: Tap | undefined;
}

/** The parts that a client needs from the start. */
export interface ClientPeerParts {
  readonly outgoing: OutgoingRequests;
  /** Limits the requests of the server; a server limits its calls itself. */
  readonly budget: RequestBudget;
  readonly readUnparsedResponse: typeof readUnparsedResponse;
}

/** JSON-RPC over a two-way pipe: request ids, responses, cancellation, progress and deadlines. */
export class Peer implements Channel, PipeSink {
  readonly #pipe: Pipe;
  readonly #options: PeerOptions;
  readonly #receiver: Receiver;
  readonly #incoming = new IncomingRequests();
  readonly #responder: Responder;
  readonly #client: ClientPeerParts | undefined;
  #outgoing: OutgoingRequests | undefined;
  #nextId = 1;
  #closed: Error | undefined;

  constructor(pipe: Pipe, options: PeerOptions) {
    this.#pipe = pipe;
    this.#options = options;
    this.#receiver = options.receiver;
    this.#client = options.client;
    this.#outgoing = options.client?.outgoing;
    // A server that waits for the client's answer can't continue the client's calls: its silence does not count.
    const hold = options.client && (() => this.hold());
    this.#responder = new Responder(this.#incoming, options.receiver, hold);
  }

  get started(): Promise<void> | undefined {
    return this.#pipe.started;
  }

  explainSilence(): Error | undefined {
    return this.#pipe.explainSilence?.();
  }

  /** Begins reading; the receiver must be ready. */
  start(): void {
    this.#pipe.start(this);
  }

  request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    if (this.#closed) return Promise.reject(this.#closed);
    if (options.signal?.aborted) return Promise.reject(toCancelled(method, options.signal.reason));
    const outgoing = this.#outgoing;
    if (outgoing === undefined) return this.#loadOutgoing().then(() => this.request(method, params, options));
    const id = this.#nextId++;
    const progressToken = options.onProgress || options.wantsProgress ? id : undefined;
    // Throws for a value that is not JSON, so it comes before the request is registered.
    const text = encodeRequest(id, method, params, { shared: options.sharedMeta, progressToken });
    const response = outgoing.add(id, method, options, this.#onGiveUp);
    options.onId?.(id);
    const message: RpcRequest = { kind: "request", id, method, params };
    this.#write(text, message, options.headers)?.catch((error: Error) => outgoing.reject(id, error));
    return response;
  }

  /** Loaded with the first request: few servers send any. */
  async #loadOutgoing(): Promise<void> {
    const { OutgoingRequests } = await import("./outgoing-requests.ts");
    this.#outgoing ??= new OutgoingRequests();
  }

  async notify(method: string, params: JsonObject): Promise<void> {
    if (this.#closed) throw this.#closed;
    await this.#write(encodeNotification(method, params), { kind: "notification", method, params });
  }

  /** Settles once every request that arrived has been answered. */
  idle(): Promise<void> {
    return this.#incoming.idle();
  }

  /** Ends the calls for which `isEnded` holds with an error, and all our own requests. */
  endCalls(reason: RpcError, isEnded: (request: IncomingRequest) => boolean): void {
    for (const { id } of this.#incoming.all().filter(isEnded)) {
      this.#incoming.cancel(id, reason);
      this.#send(encodeFailure(id, reason.toErrorObject()));
    }
    this.#outgoing?.close(reason);
  }

  async close(reason?: Error): Promise<void> {
    this.onClose(reason);
    await this.#pipe.close();
  }

  onText(text: string, inReplyTo?: RequestId, relatedTo?: RequestId): void {
    this.#options.tap?.(text, "received");
    const parsed = parseMessage(text);
    const isUnparsed = parsed.kind === "invalid" && parsed.unparsed;
    if (isUnparsed && !this.#client) return this.#send(this.#refuseUnparsed(text, parsed));
    const incoming =
      (isUnparsed && this.#client?.readUnparsedResponse(text, parsed, this.#client.outgoing)) || parsed;
    if (incoming.kind === "batch") return this.#send(this.#onBatch(incoming, text.length));
    const message = inReplyTo === undefined ? incoming : this.#assign(incoming, inReplyTo);
    this.#send(this.#onMessage(message, text.length, relatedTo));
  }

  onUnreadable(problem: InvalidMessage, isResponse: boolean): void {
    this.#send(this.#onInvalid(isResponse ? { ...problem, mayBeResponse: true, isOneWay: true } : problem));
  }

  onStrayOutput(text: string): void {
    this.#drop(strayOutput + text);
  }

  hold(): () => void {
    return this.#outgoing?.hold() ?? (() => {});
  }

  timeLeft(id: RequestId): number {
    return this.#outgoing?.timeLeft(id) ?? 0;
  }

  onActivity(id?: RequestId): void {
    this.#outgoing?.extend(id);
  }

  onClose(error?: Error): void {
    if (this.#closed) return;
    this.#closed = toClosedError(error);
    this.#incoming.close(this.#closed);
    this.#outgoing?.close(this.#closed);
    this.#receiver.onClose(this.#closed);
  }

  /** Refuses a message with its id. The code that finds it is loaded when needed: few clients send such messages. */
  async #refuseUnparsed(text: string, refused: InvalidMessage): Promise<Reply> {
    const part = await import("./unparsed-message.ts");
    return this.#onInvalid(part.identifyUnparsed(text, refused));
  }

  /** Handles one message, which came in a text of this size; returns the response to it, if it gets one. */
  #onMessage(message: Message | InvalidMessage, size: number, relatedTo?: RequestId): Reply | Promise<Reply> {
    switch (message.kind) {
      case "request":
        return this.#client
          ? this.#answerServer(message, size, this.#client.budget, relatedTo)
          : this.#responder.answer(message, size);
      case "notification":
        return this.#onNotification(message, relatedTo);
      case "response":
        if (!this.#outgoing?.resolve(message.id, message.result, size)) this.#onUnknownId(message.id);
        return undefined;
      case "failure":
        return this.#onFailure(message.id, message.error);
      case "invalid":
        return this.#onInvalid(message);
    }
  }

  /** Answers a request of a server, if the revision allows it and there is room for it. */
  #answerServer(
    request: RpcRequest,
    size: number,
    budget: RequestBudget,
    relatedTo: RequestId | undefined,
  ): Reply | Promise<Reply> {
    this.#outgoing?.extend();
    // A client writes no responses where the server may send no requests.
    // basic/transports/stdio#sending-messages (2026-07-28)
    if (this.#options.revision?.()?.asking === "rounds")
      return this.#drop(
        `The server sent the request ${request.method}, which its revision forbids; it gets no response.`,
      );
    return budget.answer(this.#responder, request, size, relatedTo);
  }

  /** Reports something unusable, which gets no response. */
  #drop(problem: string): undefined {
    this.#receiver.onProblem(new InvalidResponseError(problem));
  }

  /** Assigns an error that names no request of ours to the request that it came in reply to. */
  #assign(incoming: Message | InvalidMessage, id: RequestId): Message | InvalidMessage {
    const isNamed = incoming.kind !== "failure" && incoming.kind !== "invalid";
    if (isNamed || (incoming.id !== undefined && this.#outgoing?.methodOf(incoming.id) !== undefined))
      return incoming;
    return incoming.kind === "failure" ? { ...incoming, id } : { ...incoming, id, mayBeResponse: true };
  }

  #onBatch(batch: Batch, size: number): Reply | Promise<Reply> {
    if (!this.#options.revision?.()?.receivesBatches)
      return this.#onInvalid(invalidMessage(undefined, "Batches are not part of the revision in use."));
    return answerBatch(batch, size, (message, share) => this.#onMessage(message, share));
  }

  /** Passes a notification on. A server's author may listen to all of them, a client's only to unused ones. */
  #onNotification({ method, params }: RpcNotification, relatedTo?: RequestId): undefined {
    const isUsed = this.#useNotification(method, params);
    const isServer = this.#client === undefined;
    // Log messages show that the server is at work, and not on which request.
    if (!isUsed && !isServer) this.#outgoing?.extend();
    if (!isUsed || isServer) this.#receiver.onNotification(method, params, relatedTo);
  }

  /** Uses a notification that belongs to a request; returns false when there is no such request. */
  #useNotification(method: string, params: JsonObject): boolean {
    if (method === "notifications/cancelled") return this.#onCancelled(params);
    if (method !== "notifications/progress") return false;
    const progress = toProgress(params);
    const token = params.progressToken as RequestId;
    return progress !== undefined && this.#outgoing?.progress(token, progress) === true;
  }

  /**
   * Cancels the request that is named, or ends the subscription; returns false when there is no such one.
   *
   * basic/utilities/cancellation#error-handling (2025-11-25)
   */
  #onCancelled(params: JsonObject): boolean {
    const { requestId } = params;
    if (!isRequestId(requestId)) return false;
    const method = this.#incoming.methodOf(requestId);
    if (method === undefined) return this.#onSubscriptionEnded(requestId, params.reason);
    if (methods.get(method)?.opens) return false;
    this.#incoming.cancel(requestId, toCancelled(method, params.reason));
    return true;
  }

  /**
   * Ends a subscription of ours that the server cancels.
   *
   * Both sides number their own requests, so an equal id of any other request is a coincidence.
   *
   * basic/patterns/subscriptions#cancellation (2026-07-28)
   */
  #onSubscriptionEnded(id: RequestId, reason: unknown): boolean {
    const method = this.#outgoing?.methodOf(id);
    if (method === undefined || !methods.get(method)?.listens) return false;
    return this.#outgoing?.reject(id, toCancelled(method, reason)) === true;
  }

  #onFailure(id: RequestId | undefined, error: ErrorObject): undefined {
    const isReceived = this.#client !== undefined;
    const failure = new RpcError(error.code, error.message, error.data, { isReceived });
    if (id === undefined) {
      this.#receiver.onUnusable?.();
      this.#receiver.onProblem(failure);
    } else if (!this.#outgoing?.reject(id, failure)) this.#onUnknownId(id);
  }

  #onInvalid(invalid: InvalidMessage): Reply {
    const { id, error, mayBeResponse, isOneWay } = invalid;
    const problem = toResponseError(invalid);
    const isAssigned = mayBeResponse && id !== undefined && this.#outgoing?.reject(id, problem);
    if (this.#client) {
      if (!isAssigned) this.#receiver.onProblem(problem);
      return undefined;
    }
    this.#receiver.onUnusable?.();
    if (isAssigned) return undefined;
    // JSON-RPC: only requests get an answer. The id of a response is ours, and means another request to the client.
    if (isOneWay) {
      const kind = mayBeResponse ? "response" : "notification";
      this.#receiver.onProblem(new Error(`Ignored a ${kind}: ${error.message}`));
      return undefined;
    }
    return encodeFailure(
      id ?? (this.#options.revision?.()?.unreadableId === "null" ? null : undefined),
      error,
    );
  }

  /**
   * Reports a response to a request that was never sent. A late one, after we gave up, is normal.
   *
   * basic/utilities/cancellation#behavior-requirements (2025-11-25)
   */
  #onUnknownId(id: RequestId): void {
    this.#receiver.onUnusable?.();
    const isLate = typeof id === "number" && id > 0 && id < this.#nextId;
    if (!isLate) this.#drop(`Ignored a response to the unknown request ${JSON.stringify(id)}.`);
  }

  readonly #onGiveUp: OnGiveUp = ({ id, method, options }, reason) => {
    // `initialize` must not be cancelled: basic/utilities/cancellation#behavior-requirements (2025-11-25)
    if (!methods.get(method)?.opens && !options.suppressCancel) this.#sendCancel(id, reason);
  };

  #sendCancel(id: RequestId, reason: string | undefined): void {
    if (this.#closed || this.#cancelsByClosing()) return;
    const method = "notifications/cancelled";
    const params = { requestId: id, ...(reason !== undefined && { reason }) };
    this.#write(encodeNotification(method, params), { kind: "notification", method, params })?.catch(
      (error: Error) => this.#onUnsent(error),
    );
  }

  /** basic/patterns/cancellation#transport-specific-cancellation (2026-07-28) */
  #cancelsByClosing(): boolean {
    return this.#pipe.closesPerRequest === true && this.#options.revision?.()?.cancelsByClosing === true;
  }

  #send(reply: Reply | Promise<Reply>): void {
    if (reply instanceof Promise) return void reply.then((text) => this.#send(text));
    if (reply === undefined) return;
    const sending = this.#write(reply);
    if (sending === undefined) return;
    const counted = this.#client?.budget.send(sending) ?? sending;
    counted.catch((error: Error) => this.#onUnsent(error));
  }

  /** Reports a message that could not be sent. What was under way when the connection closed is no problem. */
  #onUnsent(error: Error): void {
    if (this.#closed === undefined) this.#receiver.onProblem(error);
  }

  #write(
    text: string,
    message?: RpcRequest | RpcNotification,
    headers?: HeaderRecord,
  ): Promise<void> | undefined {
    this.#options.tap?.(text, "sent");
    if (this.#closed) return undefined;
    return this.#pipe.write(text, message, headers) ?? undefined;
  }
}

function toResponseError({ id, error, maxBytes, deep }: InvalidMessage): Error {
  return maxBytes === undefined
    ? new InvalidResponseError(error.message, deep && { cause: deep })
    : new MessageTooLargeError(maxBytes, id);
}

function toClosedError(error?: Error): Error {
  if (error instanceof McpError) return error;
  const reason = error === undefined ? "." : `: ${error.message}`;
  return new ConnectionClosedError(`The connection is closed${reason}`, { cause: error });
}

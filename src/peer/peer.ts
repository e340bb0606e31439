import { toCancelled } from "../contract/cancellation.ts";
import {
  type Channel,
  type HeaderRecord,
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
  MessageTooLargeError,
  RpcError,
} from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import {
  type Batch,
  encodeFailure,
  encodeFailureWithoutId,
  encodeNotification,
  encodeRequest,
  encodeResponse,
  type InvalidMessage,
  invalidMessage,
  isRequestId,
  type Message,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
} from "../protocol/message.ts";
import { methods } from "../protocol/methods.ts";
import { parseMessage } from "../protocol/parse.ts";
import { invalidRequest } from "../protocol/wire-error.ts";

import { IncomingRequests, type UnansweredRequest } from "./incoming-requests.ts";
import { OutgoingRequests } from "./outgoing-requests.ts";

import { toWireError } from "./to-wire-error.ts";

/** What the agreed revision says of the outer form of messages. */
export interface EnvelopeRules {
  readonly receivesBatches: boolean;
  readonly unreadableId: "null" | "absent";
  /** How a request is given up over a kind of pipe: by saying so, or by letting go of its connection. */
  readonly cancelsBy?: (pipeKind: string) => "notification" | "closing";
}

export interface PeerOptions {
  readonly receiver: Receiver;
  /** A server answers what it can't read; a client only reports it. */
  readonly side: "client" | "server";
  /** Asked for each message, because the revision is agreed on the way. */
  readonly framing?: () => EnvelopeRules | undefined;
  readonly tap?: Tap | undefined;
}

type Reply = string | undefined;

/** One conversation over a two-way pipe: ids, replies, cancellation, progress, deadlines. */
export class Peer implements Channel, PipeSink {
  readonly #pipe: Pipe;
  readonly #options: PeerOptions;
  readonly #receiver: Receiver;
  readonly #inFlight: OutgoingRequests;
  readonly #answering = new IncomingRequests();
  #nextId = 1;
  #closed: Error | undefined;

  constructor(pipe: Pipe, options: PeerOptions) {
    this.#pipe = pipe;
    this.#inFlight = new OutgoingRequests(pipe.settled && ((id, by) => pipe.settled?.(id, by)));
    this.#options = options;
    this.#receiver = options.receiver;
  }

  /** Begins reading; the receiver must be ready. */
  start(): void {
    this.#pipe.start(this);
  }

  request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    if (this.#closed) return Promise.reject(this.#closed);
    if (options.signal?.aborted) return Promise.reject(toCancelled(method, options.signal.reason));
    const id = this.#nextId++;
    const sent = options.onProgress ? withProgressToken(params, id) : params;
    // Throws for what is not JSON, so nobody may be waiting yet.
    const text = encodeRequest(id, method, sent);
    const reply = this.#inFlight.add(id, method, options, (reason) => {
      // `initialize` may not be cancelled, so giving up on it stays between us.
      if (!methods.get(method)?.opens && !options.suppressCancel) this.#sendCancel(id, reason);
    });
    options.onId?.(id);
    const message: RpcRequest = { kind: "request", id, method, params: sent };
    this.#write(text, message, options.headers)?.catch((error: Error) => this.#inFlight.reject(id, error));
    return reply;
  }

  async notify(method: string, params: JsonObject): Promise<void> {
    if (this.#closed) throw this.#closed;
    await this.#write(encodeNotification(method, params), { kind: "notification", method, params });
  }

  /** Settles once every request that arrived has been answered. */
  idle(): Promise<void> {
    return this.#answering.idle();
  }

  async close(): Promise<void> {
    this.onClose();
    await this.#pipe.close();
  }

  onText(text: string, inReplyTo?: RequestId): void {
    this.#options.tap?.(text, "received");
    const incoming = parseMessage(text);
    if (incoming.kind === "batch") void this.#onBatch(incoming);
    else this.#send(this.#onMessage(inReplyTo === undefined ? incoming : this.#assign(incoming, inReplyTo)));
  }

  onUnreadable(problem: InvalidMessage, answers: boolean): void {
    if (answers && problem.id !== undefined && this.#inFlight.reject(problem.id, toAnswerError(problem)))
      return;
    this.#send(this.#onMessage(problem));
  }

  onNoise(text: string): void {
    this.#receiver.onProblem(new Error(`Skipped output that is not a message: ${text}`));
  }

  hold(): () => void {
    return this.#inFlight.hold();
  }

  onClose(error?: Error): void {
    if (this.#closed) return;
    this.#closed = error ?? new ConnectionClosedError("The connection is closed.");
    this.#answering.close(this.#closed);
    this.#inFlight.close(this.#closed);
    this.#receiver.onClose(this.#closed);
  }

  /** What to send back, if anything. */
  #onMessage(message: Message | InvalidMessage): Reply | Promise<Reply> {
    switch (message.kind) {
      case "request":
        return this.#answer(message);
      case "notification":
        return this.#onNotification(message);
      case "response":
        if (!this.#inFlight.resolve(message.id, message.result)) this.#onStray(message.id);
        return undefined;
      case "failure":
        return this.#onFailure(message.id, message.error);
      case "invalid":
        return this.#onInvalid(message);
    }
  }

  /** A failure that names no request of ours is that of the one it came in reply to. */
  #assign(incoming: Message | InvalidMessage, id: RequestId): Message | InvalidMessage {
    const isNamed = incoming.kind !== "failure" && incoming.kind !== "invalid";
    if (isNamed || (incoming.id !== undefined && this.#inFlight.methodOf(incoming.id) !== undefined))
      return incoming;
    return incoming.kind === "failure" ? { ...incoming, id } : { ...incoming, id, answers: true };
  }

  async #onBatch(batch: Batch): Promise<void> {
    if (!this.#options.framing?.()?.receivesBatches) {
      return this.#send(
        this.#onInvalid(invalidMessage(undefined, "Batches are not part of the revision in use.")),
      );
    }
    const replies = await Promise.all(batch.messages.map((message) => this.#onBatched(message)));
    const texts = replies.filter((reply) => reply !== undefined);
    if (texts.length > 0) this.#send(`[${texts.join(",")}]`);
  }

  #onBatched(message: Message | InvalidMessage): Reply | Promise<Reply> {
    if (message.kind !== "request" || !methods.get(message.method)?.opens) return this.#onMessage(message);
    return encodeFailure(
      message.id,
      invalidRequest(`${message.method} may not be part of a batch.`).toErrorObject(),
    );
  }

  #answer(request: RpcRequest): Reply | Promise<Reply> {
    const answering = this.#answering.begin(request);
    if (answering === undefined) {
      return encodeFailure(
        request.id,
        invalidRequest("A request with this id is still being answered.").toErrorObject(),
      );
    }
    try {
      const outcome = this.#receiver.onRequest(answering);
      if (!(outcome instanceof Promise)) return this.#finish(answering, outcome);
      // A server that waits for our answer can't go on with our calls, so its silence is ours.
      const settled = this.#options.side === "client" ? outcome.finally(this.#inFlight.hold()) : outcome;
      return settled.then(
        (result) => this.#finish(answering, result),
        (error: unknown) => this.#fail(answering, error),
      );
    } catch (error) {
      return this.#fail(answering, error);
    }
  }

  #finish(answering: UnansweredRequest, result: unknown): Reply {
    this.#answering.end(answering);
    if (answering.cancelled) return undefined;
    try {
      return encodeResponse(answering.id, result);
    } catch (error) {
      return this.#fail(answering, error);
    }
  }

  #fail(answering: UnansweredRequest, error: unknown): Reply {
    this.#answering.end(answering);
    if (answering.cancelled) return undefined;
    if (!(error instanceof RpcError)) this.#receiver.onProblem(toError(error));
    return encodeFailure(answering.id, toWireError(error));
  }

  #onNotification({ method, params }: RpcNotification): undefined {
    if (method === "notifications/cancelled" && this.#onCancelled(params)) return;
    if (method === "notifications/progress") {
      const progress = toProgress(params);
      if (progress && this.#inFlight.progress(params.progressToken as RequestId, progress)) return;
    }
    this.#receiver.onNotification(method, params);
  }

  /** Whether it named a request that is being answered here, or a subscription that the server ends. */
  #onCancelled(params: JsonObject): boolean {
    const { requestId } = params;
    if (!isRequestId(requestId)) return false;
    const method = this.#answering.methodOf(requestId);
    if (method === undefined) return this.#onSubscriptionEnded(requestId, params.reason);
    // The opening of a conversation can't be cancelled.
    if (methods.get(method)?.opens) return false;
    this.#answering.cancel(requestId, toCancelled(method, params.reason));
    return true;
  }

  /** Both sides number their own requests, so the id of anything but a subscription would be a coincidence. */
  #onSubscriptionEnded(id: RequestId, reason: unknown): boolean {
    const method = this.#inFlight.methodOf(id);
    if (method === undefined || !methods.get(method)?.listens) return false;
    return this.#inFlight.reject(id, toCancelled(method, reason));
  }

  #onFailure(id: RequestId | undefined, error: ErrorObject): undefined {
    const isReceived = this.#options.side === "client";
    const failure = new RpcError(error.code, error.message, error.data, { isReceived });
    if (id === undefined) this.#receiver.onProblem(failure);
    else if (!this.#inFlight.reject(id, failure)) this.#onStray(id);
  }

  #onInvalid(invalid: InvalidMessage): Reply {
    const { id, error, answers } = invalid;
    if (this.#options.side === "client") {
      const problem = toAnswerError(invalid);
      if (!answers || id === undefined || !this.#inFlight.reject(id, problem))
        this.#receiver.onProblem(problem);
      return undefined;
    }
    if (id !== undefined) return encodeFailure(id, error);
    const absent = this.#options.framing?.()?.unreadableId === "absent";
    return absent ? encodeFailureWithoutId(error) : encodeFailure(null, error);
  }

  /** An answer nobody waits for: late after we gave up, which is normal, or to a question never asked. */
  #onStray(id: RequestId): void {
    const late = typeof id === "number" && id > 0 && id < this.#nextId;
    if (!late)
      this.#receiver.onProblem(new Error(`Ignored an answer to the unknown request ${JSON.stringify(id)}.`));
  }

  #sendCancel(id: RequestId, reason: string | undefined): void {
    if (this.#closed || this.#options.framing?.()?.cancelsBy?.(this.#pipe.kind) === "closing") return;
    const method = "notifications/cancelled";
    const params = { requestId: id, ...(reason !== undefined && { reason }) };
    this.#write(encodeNotification(method, params), { kind: "notification", method, params })?.catch(
      (error: Error) => this.#receiver.onProblem(error),
    );
  }

  #send(reply: Reply | Promise<Reply>): void {
    if (reply instanceof Promise) void reply.then((text) => this.#send(text));
    else if (reply !== undefined)
      this.#write(reply)?.catch((error: Error) => this.#receiver.onProblem(error));
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

function withProgressToken(params: JsonObject, id: RequestId): JsonObject {
  return { ...params, _meta: { ...(params._meta as JsonObject | undefined), progressToken: id } };
}

function toAnswerError({ id, error, maxBytes }: InvalidMessage): Error {
  return maxBytes === undefined
    ? new InvalidResponseError(error.message)
    : new MessageTooLargeError(maxBytes, id);
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
}

import type { Call, Session } from "../../../contract/call.ts";
import type { Principal } from "../../../contract/principal.ts";
import type { Caller } from "../../../contract/service.ts";
import { type ErrorObject, NotInRevisionError } from "../../../errors.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { TurnYielder } from "../../../lib/yield-turn.ts";
import {
  encodeFailure,
  encodeNotification,
  encodeResponse,
  type RequestId,
  type RpcRequest,
} from "../../../protocol/message.ts";
import { MetaKey } from "../../../protocol/meta.ts";
import { methods } from "../../../protocol/methods.ts";
import type { ClientDeclaration } from "../../../protocol/model/identity.ts";
import type { Revision } from "../../../protocol/revision.ts";
import { invalidParams, WireCode } from "../../../protocol/wire-error.ts";

import type { State } from "../../../state/state.ts";
import { type Accepts, readAccept } from "./accept.ts";
import type { AdmittedRequest, EndpointContext, OpenCall } from "./endpoint-context.ts";
import {
  jsonHeaders,
  sendRpcError,
  toErrorHeaders,
  toHttpStatus,
  toPublicRpcError,
} from "./error-response.ts";
import { EventConnection } from "./events/event-connection.ts";
import { LatestProgress } from "./events/latest-progress.ts";
import { encodeEvent, eventStreamHeaders } from "./events/sse-encode.ts";
import { assertHeadersMatch, assertVersionHeader } from "./header-check.ts";
import type { HttpReply, HttpRequest, ResponseHeaders } from "./http-interface.ts";

/** Answers a request that stands for itself: JSON, or events as soon as the handler has something to say before. */
export function answerStatelessCall(
  endpoint: EndpointContext,
  visitor: AdmittedRequest,
  request: RpcRequest,
): Promise<void> | void {
  let caller: Caller;
  try {
    caller = readCaller(endpoint, visitor.http, request);
  } catch (error) {
    // Whatever is wrong with the envelope is a bad request, unlike an error of a handler.
    return sendRpcError(visitor.reply, 400, toPublicRpcError(error), request.id);
  }
  return new AloneCall(endpoint, visitor, request, caller).run();
}

function readCaller({ service }: EndpointContext, http: HttpRequest, request: RpcRequest): Caller {
  const meta = isObject(request.params._meta) ? request.params._meta : {};
  if (typeof meta[MetaKey.protocolVersion] !== "string") {
    throw invalidParams(`_meta["${MetaKey.protocolVersion}"] must be a string; each request needs it.`);
  }
  assertVersionHeader(http, meta);
  const caller = service.readCaller(request.params);
  assertHeadersMatch(http, request, service.mirroredParams(request.method, request.params));
  return caller;
}

const closedError: ErrorObject = { code: WireCode.internal, message: "The server has closed." };

class AloneCall implements Call, OpenCall {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly revision: Revision;
  readonly client: ClientDeclaration;
  readonly principal: Principal | undefined;
  readonly address: string | undefined;
  readonly session: Session | undefined = undefined;
  readonly #endpoint: EndpointContext;
  readonly #reply: HttpReply;
  readonly #accepts: Accepts;
  #progress: LatestProgress | undefined;
  #breath: TurnYielder | undefined;
  #events: EventConnection | undefined;
  #controller: AbortController | undefined;
  #closing: AbortController | undefined;
  #gone = false;
  #finished = false;

  constructor(
    endpoint: EndpointContext,
    { http, reply, principal, address }: AdmittedRequest,
    request: RpcRequest,
    caller: Caller,
  ) {
    this.#endpoint = endpoint;
    this.#reply = reply;
    this.#accepts = readAccept(http.header("accept"));
    this.id = request.id;
    this.method = request.method;
    this.params = request.params;
    this.revision = caller.revision;
    this.client = caller.client;
    this.principal = principal;
    this.address = address;
    endpoint.calls.add(this);
    // Closing the stream is how these requests are cancelled.
    reply.onGone(() => this.#onGone());
  }

  async run(): Promise<void> {
    try {
      this.#finish(200, encodeResponse(this.id, await this.#endpoint.service.handle(this)));
    } catch (error) {
      const failure = toPublicRpcError(error);
      const text = encodeFailure(this.id, failure.toErrorObject());
      const stepUp = this.#endpoint.authorization?.stepUp(this.principal, failure);
      if (stepUp) this.#finish(stepUp.status, text, { ...jsonHeaders, ...stepUp.headers });
      else this.#finish(toHttpStatus(failure), text, toErrorHeaders(failure));
    }
  }

  get state(): State | undefined {
    return this.#endpoint.state;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#gone) this.#controller.abort();
    return this.#controller.signal;
  }

  get closing(): AbortSignal {
    this.#closing ??= this.#endpoint.closingControllers.next();
    if (this.#endpoint.closing.aborted) this.#closing.abort();
    return this.#closing.signal;
  }

  close(): void {
    this.#closing?.abort();
  }

  async notify(method: string, params: JsonObject): Promise<void> {
    if (this.#gone || this.#finished || !this.#accepts.events) return this.#pause();
    const text = encodeNotification(method, this.revision.encode.params(method, params));
    const send = async () => {
      const stream = this.#stream();
      // A handler that does not wait for its reader loses what there is no room for, never its answer.
      await (stream.isFull ? this.#pause() : stream.write(encodeEvent(text)));
    };
    if (!methods.get(method)?.coalesces) return send();
    this.#progress ??= new LatestProgress();
    await this.#progress.send(send);
  }

  async ask(): Promise<JsonObject> {
    throw new NotInRevisionError("A request from the server", this.revision.version);
  }

  /** Letting go of the connection would cancel the call. */
  disconnect(): void {}

  #finish(status: number, text: string, headers: ResponseHeaders = jsonHeaders): void {
    if (this.#gone || this.#finished) return;
    this.#finished = true;
    this.#endpoint.calls.delete(this);
    if (this.#events === undefined && this.#accepts.json) return this.#reply.send(status, headers, text);
    const stream = this.#stream();
    void stream.write(encodeEvent(text));
    stream.end();
  }

  end(): void {
    this.#finish(503, encodeFailure(this.id, closedError));
    this.#controller?.abort();
  }

  #pause(): Promise<void> | undefined {
    this.#breath ??= new TurnYielder();
    return this.#breath.afterCall();
  }

  #stream(): EventConnection {
    this.#events ??= new EventConnection(this.#reply.stream(eventStreamHeaders), this.#endpoint.heartbeat);
    return this.#events;
  }

  #onGone(): void {
    this.#gone = true;
    this.#endpoint.calls.delete(this);
    this.#events?.drop();
    this.#controller?.abort();
  }
}

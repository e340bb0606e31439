import type { Call, CallEndListener, Session } from "../../../contract/call.ts";
import { type HttpView, toHttpView } from "../../../contract/caller/http-view.ts";
import type { Principal } from "../../../contract/caller/principal.ts";
import { atTokenExpiry } from "../../../contract/caller/token-expiry.ts";
import type { CallingClient } from "../../../contract/service.ts";
import { type ErrorObject, NotInRevisionError } from "../../../errors.ts";
import { isPromise, type MaybePromise } from "../../../lib/async/maybe-promise.ts";
import type { JsonObject, JsonText } from "../../../lib/json.ts";
import { encodeFailure, encodeResponse, type RequestId, type RpcRequest } from "../../../protocol/message.ts";
import type { ClientDeclaration } from "../../../protocol/model/identity.ts";
import type { Revision } from "../../../protocol/revision.ts";
import { WireCode } from "../../../protocol/wire-error.ts";
import type { State } from "../../../state/state.ts";
import type { AdmittedRequest } from "./admission/admission.ts";
import { toStepUp } from "./admission/authorization.ts";
import type { EndpointContext, OpenCall } from "./endpoint-context.ts";
import {
  jsonHeaders,
  sendRpcError,
  toErrorHeaders,
  toHttpStatus,
  toPublicRpcError,
} from "./error-response.ts";
import { CallNotifier } from "./events/call-notifier.ts";
import { JsonOrEvents } from "./events/json-or-events.ts";
import { SilentCall } from "./events/silent-call.ts";
import type { HttpReply, HttpRequest, ResponseHeaders } from "./http-interface.ts";
import { assertHeadersMatch, assertVersionHeader } from "./request/header-check.ts";

/** Answers a request that describes its caller itself, and needs no session. */
export function answerStatelessCall(
  context: EndpointContext,
  admitted: AdmittedRequest,
  request: RpcRequest,
): MaybePromise<void> {
  const { service } = context;
  const { http, reply } = admitted;
  let caller: CallingClient;
  try {
    assertVersionHeader(http, request.params, service.supported);
    caller = service.readCaller(request.params);
    const mirrored = service.mirroredParams(request.method, request.params);
    assertHeadersMatch(http, request, caller.revision, mirrored);
  } catch (error) {
    // An error in the envelope is a bad request, unlike an error of a handler.
    return sendRpcError(reply, 400, toPublicRpcError(error), request.id);
  }
  return new StatelessCall(context, admitted, request, caller).run();
}

const closedError: ErrorObject = { code: WireCode.internal, message: "The server has closed." };

class StatelessCall implements Call, OpenCall {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly revision: Revision;
  readonly client: ClientDeclaration;
  readonly principal: Principal | undefined;
  readonly address: string | undefined;
  readonly waitUntil: Call["waitUntil"];
  readonly session: Session | undefined = undefined;
  readonly #context: EndpointContext;
  readonly #http: HttpRequest;
  readonly #reply: HttpReply;
  readonly #response: JsonOrEvents;
  #notifier: CallNotifier | undefined;
  #silence: SilentCall | undefined;
  #controller: AbortController | undefined;
  #closing: AbortController | undefined;
  #stopExpiry: (() => void) | undefined;
  #endListener: CallEndListener | undefined;
  #gone = false;
  #cancelled = false;
  #finished = false;

  constructor(
    context: EndpointContext,
    { http, reply, accepts, principal, address }: AdmittedRequest,
    request: RpcRequest,
    caller: CallingClient,
  ) {
    this.#context = context;
    this.#http = http;
    this.#reply = reply;
    this.#response = new JsonOrEvents(reply, accepts, context.heartbeat);
    this.id = request.id;
    this.method = request.method;
    this.params = request.params;
    this.revision = caller.revision;
    this.client = caller.client;
    this.principal = principal;
    this.address = address;
    this.waitUntil = http.waitUntil;
    context.calls.add(this);
    // Closing the stream cancels the request. basic/transports/streamable-http#cancellation (2026-07-28)
    reply.onGone(() => this.#onGone());
  }

  run(): MaybePromise<void> {
    let answer: MaybePromise<JsonText>;
    try {
      answer = this.#context.service.handle(this);
    } catch (error) {
      return this.#fail(error);
    }
    if (!isPromise(answer)) return this.#succeed(answer);
    if (this.#response.takesEvents && !this.#response.connection)
      this.#silence = new SilentCall(this.#context.heartbeat, this.#response);
    return answer.then(
      (result) => this.#succeed(result),
      (error: unknown) => this.#fail(error),
    );
  }

  #succeed(result: JsonText): void {
    this.#finish(200, encodeResponse(this.id, result));
  }

  #fail(error: unknown): void {
    const failure = toPublicRpcError(error);
    const text = encodeFailure(this.id, failure.toErrorObject());
    const stepUp = toStepUp(this.#context.authenticator, this.principal, failure);
    if (stepUp) this.#finish(stepUp.status, text, { ...jsonHeaders, ...stepUp.headers });
    else this.#finish(toHttpStatus(failure), text, toErrorHeaders(failure));
  }

  get http(): HttpView {
    return toHttpView(this.#http);
  }

  get state(): State | undefined {
    return this.#context.state();
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#cancelled) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Only a call that would last indefinitely waits for it, and such a call ends with its token, too. */
  get closing(): AbortSignal {
    this.#stopExpiry ??= atTokenExpiry(this.principal, () => this.#expire());
    this.#closing ??= this.#context.closingControllers.next();
    if (this.#context.closing.aborted) this.#closing.abort();
    return this.#closing.signal;
  }

  onEnd(listener: CallEndListener): void {
    this.#stopExpiry ??= atTokenExpiry(this.principal, () => this.#expire());
    if (this.#cancelled) listener.onCancelled(this.signal.reason);
    else if (this.#context.closing.aborted) listener.onClosing();
    else this.#endListener = listener;
  }

  async notify(method: string, params: JsonObject): Promise<void> {
    this.#notifier ??= new CallNotifier(this.#response);
    if (this.#gone || this.#finished || !this.#response.takesEvents) return this.#notifier.skip();
    await this.#notifier.notify(method, this.revision.encode.params(method, params));
    // The stream shows signs of life itself. One that could not be sent has opened none.
    this.#silence?.end();
  }

  async ask(): Promise<JsonObject> {
    throw new NotInRevisionError("A request from the server", this.revision.version);
  }

  /** Does nothing: closing the connection would cancel the call. */
  disconnect(): void {}

  close(): void {
    this.#closing?.abort();
    this.#takeEndListener()?.onClosing();
  }

  end(): void {
    this.#finish(503, encodeFailure(this.id, closedError));
    this.#cancel();
  }

  #finish(status: number, text: string, headers: ResponseHeaders = jsonHeaders): void {
    if (this.#finished) return;
    this.#finished = true;
    if (this.#gone) return;
    this.#leave();
    this.#response.finish(status, headers, text);
  }

  /** Ends the stream without a response, so that the client comes back with a new token. */
  #expire(): void {
    this.#response.connection?.end();
    this.#onGone();
  }

  #onGone(): void {
    this.#gone = true;
    if (!this.#finished) this.#context.requests.abandon(this.#reply);
    this.#leave();
    this.#response.connection?.drop();
    this.#cancel();
  }

  #cancel(): void {
    this.#cancelled = true;
    this.#controller?.abort();
    this.#takeEndListener()?.onCancelled(this.signal.reason);
  }

  /** The listener, which is called once. */
  #takeEndListener(): CallEndListener | undefined {
    const listener = this.#endListener;
    this.#endListener = undefined;
    return listener;
  }

  #leave(): void {
    this.#context.calls.delete(this);
    this.#silence?.end();
    this.#stopExpiry?.();
  }
}

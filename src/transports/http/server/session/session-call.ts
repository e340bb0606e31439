import type { Call, Session, SessionChange } from "../../../../contract/call.ts";
import { type HttpView, toHttpView } from "../../../../contract/caller/http-view.ts";
import type { Principal } from "../../../../contract/caller/principal.ts";
import type { RequestOptions } from "../../../../contract/channel.ts";
import { CancelledError, ConnectionClosedError, OverloadedError, type RpcError } from "../../../../errors.ts";
import { orAborted } from "../../../../lib/async/abort.ts";
import { andThen, attempt, isPromise, type MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import type { JsonObject } from "../../../../lib/json.ts";
import type { UnansweredRequest } from "../../../../peer/incoming-requests.ts";
import { retryAfterMsOf } from "../../../../protocol/limit-error.ts";
import {
  encodeFailure,
  encodeResponse,
  type RequestId,
  type RpcRequest,
} from "../../../../protocol/message.ts";
import { methods } from "../../../../protocol/method-table.ts";
import type { ClientDeclaration } from "../../../../protocol/model/identity.ts";
import type { Revision } from "../../../../protocol/revision.ts";
import { invalidRequest } from "../../../../protocol/wire-error.ts";
import type { State } from "../../../../state/state.ts";
import { toStepUp } from "../admission/authorization.ts";
import type { EndpointContext } from "../endpoint-context.ts";
import { toErrorHeaders, toPublicRpcError } from "../error-response.ts";
import { CallNotifier } from "../events/call-notifier.ts";
import type { HttpRequest } from "../http-interface.ts";
import type { HttpSession } from "./http-session.ts";
import type { HttpRefusal, SessionReply } from "./session-reply.ts";

export interface SessionCallParts {
  readonly context: EndpointContext;
  readonly session: HttpSession;
  readonly reply: SessionReply;
  readonly principal: Principal | undefined;
  readonly address: string | undefined;
  readonly http: HttpRequest;
}

/** Answers one request of a session, alone or within a batch. */
export function answerSessionCall(request: RpcRequest, parts: SessionCallParts): MaybePromise<void> {
  const { context, session, reply } = parts;
  const row = methods.get(request.method);
  if (row?.opens) return reply.finish(toFailure(request.id, `${row.name} may not be part of a batch.`));
  const unanswered = session.begin(request);
  if (unanswered === undefined)
    return reply.finish(toFailure(request.id, "A request with this id is still being answered."));
  reply.onAbandoned(() => session.cancel(request.id, new ConnectionClosedError("The client is gone.")));
  const encoding = attempt(
    () => {
      const call = new SessionCall(unanswered, parts);
      const handling = context.service.handle(call);
      if (!row?.changesSession) return handling;
      return andThen(handling, (result) => saveSession(session, result, call.change));
    },
    (result) => encodeResponse(request.id, result),
    (error) => encodeError(request.id, parts, error),
  );
  const noted = session.node
    ? andThen(encoding, (text) => noteElicitations(request.id, parts, text))
    : encoding;
  if (isPromise(noted)) reply.awaitAnswer();
  return andThen(noted, (text) => {
    session.end(unanswered);
    return reply.finish(isCancelledByClient(unanswered) ? undefined : text);
  });
}

async function saveSession<T>(
  session: HttpSession,
  result: T,
  change: SessionChange | undefined,
): Promise<T> {
  await session.save(change);
  return result;
}

/** Stores the URL elicitations of a message before the client gets it. */
function noteElicitations(id: RequestId, parts: SessionCallParts, text: string): MaybePromise<string> {
  return attempt(
    () => parts.session.noteElicitations(),
    () => text,
    (error) => encodeError(id, parts, error),
  );
}

function encodeError(id: RequestId, { context, reply, principal }: SessionCallParts, error: unknown): string {
  const failure = toPublicRpcError(error);
  reply.refuseWith(toStepUp(context.authenticator, principal, failure) ?? toRetryRefusal(failure));
  return encodeFailure(id, failure.toErrorObject());
}

/** True if the client has cancelled the call, so that it gets no answer; a server that ends a call sends one. */
function isCancelledByClient(unanswered: UnansweredRequest): boolean {
  return unanswered.cancelled && unanswered.signal.reason instanceof CancelledError;
}

/** The status and headers of an error that goes away by itself; undefined for any other. */
function toRetryRefusal(failure: RpcError): HttpRefusal | undefined {
  if (retryAfterMsOf(failure) === undefined) return undefined;
  return { status: failure.wireCode, headers: toErrorHeaders(failure) };
}

function toFailure(id: RequestId, problem: string): string {
  return encodeFailure(id, invalidRequest(problem).toErrorObject());
}

/** A call within a session over HTTP. Its notifications go on the stream of its own answer. */
class SessionCall implements Call {
  readonly #unanswered: UnansweredRequest;
  readonly #parts: SessionCallParts;
  #notifier: CallNotifier | undefined;
  /** The change of the session that it has made. */
  change: SessionChange | undefined;

  constructor(unanswered: UnansweredRequest, parts: SessionCallParts) {
    this.#unanswered = unanswered;
    this.#parts = parts;
  }

  get id(): RequestId {
    return this.#unanswered.id;
  }
  get method(): string {
    return this.#unanswered.method;
  }
  get params(): JsonObject {
    return this.#unanswered.params;
  }
  get session(): Session {
    return this.#parts.session.session;
  }
  get state(): State | undefined {
    return this.#parts.context.state();
  }
  get revision(): Revision {
    return this.session.revision;
  }
  get client(): ClientDeclaration {
    return this.session.client;
  }
  get principal(): Principal | undefined {
    return this.#parts.principal;
  }
  get address(): string | undefined {
    return this.#parts.address;
  }
  get http(): HttpView {
    return toHttpView(this.#parts.http);
  }
  get waitUntil(): Call["waitUntil"] {
    return this.#parts.http.waitUntil;
  }
  get signal(): AbortSignal {
    return this.#unanswered.signal;
  }
  get closing(): AbortSignal {
    return this.#parts.context.closing.signal;
  }

  onChanged(change: SessionChange): void {
    this.change = change;
  }

  async notify(method: string, params: JsonObject): Promise<void> {
    this.#notifier ??= new CallNotifier(this.#parts.reply);
    // Nothing follows the answer: its stream, if there is one, has ended.
    if (this.#unanswered.cancelled || this.#unanswered.answered) return this.#notifier.skip();
    const sending = this.#notifier.notify(method, this.revision.encode.params(method, params));
    if (this.#parts.session.node === undefined) return sending;
    try {
      // It waits for a store that is away, as long as the call is wanted.
      await orAborted(sending, this.signal);
    } catch (error) {
      // A store that stays away costs the client this notification, and neither the call nor the process.
      if (!(error instanceof OverloadedError || this.signal.aborted)) throw error;
    }
  }

  async ask(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    if (this.#unanswered.answered)
      throw invalidRequest("The client can't be asked: the call has ended. Await what a handler asks.");
    const stream = this.#parts.reply.stream();
    if (stream === undefined) throw invalidRequest("The client can't be asked: it does not accept events.");
    return this.#parts.session.ask(stream, method, params, options);
  }

  disconnect(): void {
    if (this.revision.pollsStreams && !this.#unanswered.answered) this.#parts.reply.disconnect();
  }
}

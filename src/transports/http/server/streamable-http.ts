import type { CallLimits, LimitOutcome } from "../../../guard/call-limits.ts";
import type { MaybePromise } from "../../../lib/async/maybe-promise.ts";
import type { OnDemand } from "../../../lib/async/on-demand.ts";
import type { AdmittedRequest } from "./admission/admission.ts";
import type { EndpointContext } from "./endpoint-context.ts";
import { sendError, sendRpcError, toHttpStatus } from "./error-response.ts";
import { receiveStateless } from "./notify-listeners.ts";
import type { BodyText } from "./request/body-limits.ts";
import {
  mayContainRequest,
  type PostedMessage,
  readPostedMessage,
  refusesContentType,
  requestIdOf,
} from "./request/posted-message.ts";
import type { RouteOutcome } from "./routing/routes.ts";
import type { SessionEndpoint } from "./session/session-endpoint.ts";
import { answerStatelessCall } from "./stateless-call.ts";

/** The endpoint of Streamable HTTP: reads one message within the limits, and has it answered statelessly or in its session. */
export class StreamableHttpEndpoint {
  readonly #context: EndpointContext;
  readonly #sessions: OnDemand<SessionEndpoint>;

  constructor(context: EndpointContext, sessions: OnDemand<SessionEndpoint>) {
    this.#context = context;
    this.#sessions = sessions;
  }

  /** Opens the stream of a session beside its requests. */
  get(admitted: AdmittedRequest): RouteOutcome {
    this.#context.callLimits?.countOther(admitted);
    return this.#sessions.use((part) => part.get(admitted));
  }

  /** Ends a session. */
  delete(admitted: AdmittedRequest): RouteOutcome {
    this.#context.callLimits?.countOther(admitted);
    return this.#sessions.use((part) => part.delete(admitted));
  }

  post(admitted: AdmittedRequest): RouteOutcome {
    const { http, reply, accepts } = admitted;
    if (refusesContentType(http, reply)) return;
    if (!accepts.json && !accepts.events) {
      return sendError(reply, 406, "Accept application/json, text/event-stream, or both.");
    }
    if (this.#refusesUnread(admitted)) return;
    return { admitted, receive: (body) => this.#receive(admitted, body) };
  }

  #receive(admitted: AdmittedRequest, body: BodyText): Promise<void> | void {
    const { callLimits } = this.#context;
    const message = readPostedMessage(body, admitted, this.#context);
    if (callLimits === undefined) return message && this.#answer(admitted, message);
    const chars = body.ok ? body.text.length : 0;
    callLimits.countSize(admitted, chars);
    if (message === undefined) return callLimits.countOther(admitted);
    if (!mayContainRequest(message)) {
      if (!this.#isCountedByListener(message)) callLimits.countOther(admitted);
      return this.#answer(admitted, message);
    }
    const acquiring = acquire(callLimits, admitted, message, chars);
    if (!(acquiring instanceof Promise)) return this.#answerWithin(acquiring, admitted, message);
    return acquiring.then((outcome) => this.#answerWithin(outcome, admitted, message));
  }

  /** Answers within the limits. Only the release of the limits waits for the end of the call: it may run for days, and the request would stay in memory. */
  #answerWithin(
    outcome: LimitOutcome,
    admitted: AdmittedRequest,
    message: PostedMessage,
  ): Promise<void> | void {
    if (!outcome.ok) {
      const { error } = outcome;
      return sendRpcError(admitted.reply, toHttpStatus(error), error, requestIdOf(message));
    }
    let answering: Promise<void> | void;
    try {
      answering = this.#answer(admitted, message);
    } catch (error) {
      outcome.release();
      throw error;
    }
    return answering instanceof Promise ? releaseAfter(answering, outcome.release) : outcome.release();
  }

  /** True if a message counts as a call where its listener runs. */
  #isCountedByListener(message: PostedMessage): boolean {
    return message.kind === "notification" && this.#context.service.listensTo(message.method);
  }

  #answer(admitted: AdmittedRequest, message: PostedMessage): Promise<void> | void {
    if (!this.#context.requestRevision.isStateless(admitted.http, message))
      return this.#sessions.use((part) => part.post(admitted, message));
    if (message.kind === "request") return answerStatelessCall(this.#context, admitted, message);
    return receiveStateless(this.#context, admitted, message);
  }

  /**
   * Refuses a request before its body is read, which costs a busy server little. Returns true if it was refused.
   * A request that names a session is read: it may be the response that a running call waits for.
   */
  #refusesUnread({ http, reply, address }: AdmittedRequest): boolean {
    const { callLimits } = this.#context;
    const error = callLimits?.overloadError;
    if (error === undefined || http.header("mcp-session-id") !== undefined) return false;
    callLimits?.reportUnreadRefusal(error, address);
    sendRpcError(reply, toHttpStatus(error), error);
    return true;
  }
}

function acquire(
  limits: CallLimits,
  admitted: AdmittedRequest,
  message: PostedMessage,
  chars: number,
): MaybePromise<LimitOutcome> {
  if (message.kind === "request") return limits.acquire(message, admitted, chars);
  const messages = message.kind === "batch" ? message.messages : [];
  return limits.acquireAll(
    messages.filter((member) => member.kind === "request"),
    admitted,
    chars,
  );
}

function releaseAfter(answering: Promise<void>, release: () => void): Promise<void> {
  return answering.then(release, (error: unknown) => {
    release();
    throw error;
  });
}

import { toHttpView } from "../../../contract/caller/http-view.ts";
import type { NotificationOrigin } from "../../../contract/service.ts";
import { observeReceived } from "../../../contract/telemetry.ts";
import type { RpcError } from "../../../errors.ts";
import type { LimitOutcome } from "../../../guard/call-limits.ts";
import { andThen, type MaybePromise } from "../../../lib/async/maybe-promise.ts";
import type { RpcNotification, RpcRequest } from "../../../protocol/message.ts";
import { methods } from "../../../protocol/method-table.ts";
import type { AdmittedRequest } from "./admission/admission.ts";
import type { EndpointContext } from "./endpoint-context.ts";
import { sendError, sendRpcError, toHttpStatus } from "./error-response.ts";
import type { HttpReply } from "./http-interface.ts";
import { type PostedMessage, refuseWithoutId } from "./request/posted-message.ts";

/**
 * Passes a notification to the author's listeners, within the limits of calls; returns the error to answer it with.
 *
 * A notification of the specification gets none: beyond the limits only the listeners miss it.
 */
export function notifyListeners(
  { service, callLimits }: EndpointContext,
  message: RpcNotification,
  origin: NotificationOrigin,
): MaybePromise<RpcError | undefined> {
  const { method, params } = message;
  if (!service.listensTo(method)) {
    const revision = (origin.session?.revision ?? origin.revision)?.version;
    observeReceived(service.telemetry, { method, params, revision, from: origin });
    return undefined;
  }
  const start = (outcome: LimitOutcome) => {
    if (!outcome.ok) return methods.has(method) ? undefined : outcome.error;
    void service.notify(method, params, origin).finally(outcome.release);
    return undefined;
  };
  if (callLimits === undefined) return start({ ok: true, release: () => {} });
  const acquiring = callLimits.acquire(message, origin);
  return acquiring instanceof Promise ? acquiring.then(start) : start(acquiring);
}

/** Answers a message that gets no result, or refuses it. */
export function acknowledge(reply: HttpReply, refusal: RpcError | undefined): void {
  if (refusal) sendRpcError(reply, toHttpStatus(refusal), refusal);
  else reply.send(202, {});
}

/** Takes a message that asks for no result and belongs to no session. */
export function receiveStateless(
  context: EndpointContext,
  { http, reply, principal, address }: AdmittedRequest,
  message: Exclude<PostedMessage, RpcRequest>,
): MaybePromise<void> {
  if (message.kind === "invalid") return refuseWithoutId(reply, message);
  if (message.kind !== "notification")
    return sendError(reply, 400, "Only requests and notifications can be posted in this revision.");
  const refusal = notifyListeners(context, message, {
    principal,
    address,
    revision: context.requestRevision.inHeader(http),
    get http() {
      return toHttpView(http);
    },
  });
  return andThen(refusal, (error) => acknowledge(reply, error));
}

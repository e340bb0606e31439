import { CallLostError, type RpcError } from "../../../../errors.ts";
import type { RequestId } from "../../../../protocol/message.ts";
import { WireCode } from "../../../../protocol/wire-error.ts";
import type { HttpErrorResponse } from "../fetch/error-response.ts";

const sessionStatuses: readonly number[] = [400, 404, 410];

/**
 * True when a request with a session id was refused because the server has no such session.
 *
 * basic/transports#session-management (2025-11-25): the status is 404. Some servers send 410
 * instead, or 400 with an explanation.
 */
export function isSessionLost({ status, text, failure }: HttpErrorResponse, id?: RequestId): boolean {
  if (!sessionStatuses.includes(status)) return false;
  // An error that answers this very request is about its method, not about the session.
  const isAnswer = failure?.id !== undefined && failure.id === id;
  return (
    ((status === 404 || status === 410) && !isAnswer) || lostSession.test(failure?.error.message ?? text)
  );
}

/** True when the words of a response name a lost session; for statuses that may mean something else. */
export function namesLostSession({ failure, text }: HttpErrorResponse): boolean {
  return lostSession.test(failure?.error.message ?? text);
}

/** True for an error by which some servers answer, with status 200, that the session is lost. */
export function isSessionLostError({ wireCode, message }: RpcError): boolean {
  return lossCodes.includes(wireCode) && lostSession.test(message);
}

/** Only codes that no handler of a method uses: a call that was carried out must not be repeated. */
const lossCodes: readonly number[] = [-32000, -32001, WireCode.invalidRequest];

/** The loss of a call that was refused for want of its session, and so was not carried out. */
export function toSessionLoss({ error }: HttpErrorResponse): CallLostError {
  const message = `The server has forgotten the session: ${error.message}`;
  return new CallLostError(message, { lost: "session", mayRetry: true }, { cause: error });
}

const lostSession =
  /session(?: id)?\b[^.;]{0,80}\b(?:not found|does not exist|expired|terminated|closed|unknown|invalid|not valid|no longer)|\b(?:no valid|no such|unknown|invalid|expired|missing) (?:mcp[- ])?session|\bserver (?:is )?not (?:yet )?initialized/i;

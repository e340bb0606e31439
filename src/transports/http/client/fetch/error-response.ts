import { CallLostError, HttpError, type RpcError } from "../../../../errors.ts";
import type { RequestId, RpcFailure } from "../../../../protocol/message.ts";
import { parseMessage } from "../../../../protocol/parse.ts";
import { mediaTypeOf, readExcerpt } from "./read-body.ts";
import { showUrl } from "./show-url.ts";

const maxBytes = 64 * 1024;
const maxShown = 200;
const telling = ["www-authenticate", "retry-after", "location"];
const maybeSession: readonly number[] = [400, 404, 410];

/** What a server sent instead of an answer. */
export interface HttpErrorResponse {
  readonly status: number;
  readonly text: string;
  /** What the text says, if it is a message. */
  readonly failure: RpcFailure | undefined;
  readonly error: HttpError;
}

export async function readErrorResponse(
  response: Response,
  method: string,
  url: URL,
): Promise<HttpErrorResponse> {
  const { status, statusText } = response;
  const text = await readExcerpt(response, maxBytes);
  const failure = toFailure(response, text);
  const said = failure?.error.message ?? (mediaTypeOf(response).startsWith("text/html") ? "" : text.trim());
  const shown = said.length > maxShown ? `${said.slice(0, maxShown)}…` : said;
  const error = new HttpError(
    `${method} ${showUrl(url)} was answered with ${`${status} ${statusText}`.trim()}${shown ? `: ${shown}` : "."}`,
    { status, headers: tellingHeaders(response) },
  );
  return { status, text, failure, error };
}

/** Whether a request that named a session was refused because there is no such session. */
export function isSessionLost({ status, text, failure }: HttpErrorResponse, id?: RequestId): boolean {
  if (!maybeSession.includes(status)) return false;
  // Not found may also be the method, of which only an answer to the very request can tell.
  const isAnswer = failure?.id !== undefined && failure.id === id;
  return (status === 404 && !isAnswer) || tellsOfLostSession(failure?.error.message ?? text);
}

/** The loss of a call that was refused for want of its session, and so not carried out. */
export function toSessionLoss({ error }: HttpErrorResponse): CallLostError {
  const message = `The server has forgotten the session: ${error.message}`;
  return new CallLostError(message, { lost: "session", mayRetry: true }, { cause: error });
}

/** Whether a refusal says so in words, where its status may mean something else. */
export function saysSessionIsLost({ failure, text }: HttpErrorResponse): boolean {
  return tellsOfLostSession(failure?.error.message ?? text);
}

/** Whether an error that came as an answer means the same. */
export function meansSessionLost({ wireCode, message }: RpcError): boolean {
  return (wireCode === -32001 || wireCode === -32000) && tellsOfLostSession(message);
}

const lostSession =
  /session(?: id)?\b[^.;]{0,80}\b(?:not found|does not exist|expired|terminated|closed|unknown|invalid|not valid|no longer)|\b(?:no valid|no such|unknown|invalid|expired|missing) (?:mcp[- ])?session/i;

function tellsOfLostSession(text: string): boolean {
  return lostSession.test(text);
}

function toFailure(response: Response, text: string): RpcFailure | undefined {
  if (!mediaTypeOf(response).includes("json")) return undefined;
  const incoming = parseMessage(text);
  return incoming.kind === "failure" ? incoming : undefined;
}

function tellingHeaders({ headers }: Response): { [name: string]: string } {
  return Object.fromEntries(
    telling.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

import { HttpError, RpcError } from "../../../../errors.ts";
import { showUrl } from "../../../../lib/text/show-url.ts";
import type { RpcFailure } from "../../../../protocol/message.ts";
import { parseMessage } from "../../../../protocol/parse.ts";
import { mediaTypeOf, type ReceivedResponse } from "../http-exchange.ts";
import { readExcerpt } from "./read-body.ts";

const maxBytes = 64 * 1024;
const keptHeaders = ["www-authenticate", "retry-after", "location"];

/** An HTTP response with an error status, read. */
export interface HttpErrorResponse {
  readonly status: number;
  readonly text: string;
  /** The JSON-RPC error in the text, if it is one. */
  readonly failure: RpcFailure | undefined;
  readonly error: HttpError;
}

export async function readErrorResponse(
  response: ReceivedResponse,
  method: string,
  url: URL,
): Promise<HttpErrorResponse> {
  const { status, statusText } = response;
  const text = await readExcerpt(response, maxBytes);
  const failure = toFailure(response, text);
  const reason =
    text === "" && status !== 403 ? "" : await describe(response, failure?.error.message ?? text);
  const error = new HttpError(
    `${method} ${showUrl(url)} was answered with ${`${status} ${statusText}`.trim()}${reason ? `: ${reason}` : "."}${toAdvice(status)}`,
    { status, headers: keepHeaders(response) },
    failure && { cause: toRpcError(failure) },
  );
  return { status, text, failure, error };
}

/** The words of an error. Loaded when needed: most connections have none. */
async function describe(response: ReceivedResponse, text: string): Promise<string> {
  const { describeError } = await import("./describe-answer.ts");
  return describeError(response, text);
}

function toAdvice(status: number): string {
  if (status !== 401) return "";
  return " The server wants valid credentials: connect with auth: oauth() to log in, or with auth: staticToken(…) and a token that it takes; both are in allspeak/auth.";
}

/** The error of a sender whose message was refused: the RPC error in the body, unless the status asks for credentials. */
export function toPostError({ failure, status, error }: HttpErrorResponse): RpcError | HttpError {
  if (failure === undefined || asksForCredentials(status)) return error;
  return toRpcError(failure, error);
}

function toRpcError({ error: { code, message, data } }: RpcFailure, cause?: Error): RpcError {
  return new RpcError(code, message, data, cause && { cause });
}

/** True for statuses that matter more than the body: `ClientAuth` acts on them. */
export function asksForCredentials(status: number): boolean {
  return status === 401 || status === 403;
}

function toFailure(response: ReceivedResponse, text: string): RpcFailure | undefined {
  if (!mediaTypeOf(response).includes("json")) return undefined;
  const incoming = parseMessage(text);
  return incoming.kind === "failure" ? incoming : undefined;
}

function keepHeaders(response: ReceivedResponse): { [name: string]: string } {
  return Object.fromEntries(
    keptHeaders.flatMap((name) => {
      const value = response.header(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

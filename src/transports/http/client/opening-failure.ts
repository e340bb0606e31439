import { CallLostError, HttpError, InvalidResponseError, McpError } from "../../../errors.ts";
import { toPrintableLine } from "../../../lib/text/printable.ts";
import { showUrl } from "../../../lib/text/show-url.ts";
import { NotAMessageError } from "./fetch/describe-answer.ts";

/** The failure to connect to a URL, with what is probably there, and what to do. */
export function explainOpening(url: URL, error: Error): Error {
  if (error instanceof HttpError) return explainStatus(url, error);
  if (error instanceof InvalidResponseError) return explainAnswer(url, error);
  if (error instanceof CallLostError)
    return isOfNetwork(error) ? explainLoss(url, error) : explainSilentStream(url, error);
  return error;
}

/** An answer that can't be used. One that is a message came from a server of MCP, so that the URL is right. */
function explainAnswer(url: URL, error: InvalidResponseError): Error {
  const advice = error instanceof NotAMessageError ? ` ${adviseUrl(url)}` : "";
  return new InvalidResponseError(`${showUrl(url)}: ${error.message}${advice}`, { cause: error });
}

/** False for the loss of a stream on which the server had begun to answer. */
function isOfNetwork({ lost, cause }: CallLostError): boolean {
  return lost === "connection" && cause !== undefined && !(cause instanceof McpError);
}

/** Statuses of servers that have nothing at a path, or nothing to post to. */
const noEndpoint: readonly number[] = [404, 405, 410, 501];

function explainStatus(url: URL, error: HttpError): Error {
  const { status, headers } = error;
  // A server that answers with an error of the protocol is one, and has said what it wants.
  const advice = error.cause === undefined ? adviseAfter(error, url) : undefined;
  if (advice === undefined) return error;
  // The words of a server may lack their full stop.
  const said = error.message.replace(/(?<![.!?])$/, ".");
  return new HttpError(`${said} ${advice}`, { status, headers }, { cause: error });
}

function adviseAfter({ status, message }: HttpError, url: URL): string | undefined {
  const saysHttps = /\bhttp request\b.*\bhttps\b/i.test(message);
  if (status === 400 && url.protocol === "http:" && saysHttps) return beginWithHttps;
  return noEndpoint.includes(status) ? `${nothingThere} ${adviseUrl(url)}` : undefined;
}

const beginWithHttps = "Begin the URL with https://.";
const nothingThere = "There is no MCP endpoint at this path.";

function adviseUrl({ pathname }: URL): string {
  return /\/mcp\/?$/.test(pathname)
    ? "Check the URL: something else than an MCP server may be there."
    : "Check the path of the URL: the endpoint of a server is often at /mcp, or at /sse if it is an old one.";
}

/** The loss of a stream of events on which `initialize` should have been answered. */
function explainSilentStream(url: URL, error: CallLostError): Error {
  const message = `${showUrl(url)} has opened a stream of events, and has ended it or was silent on it instead of answering. The server may hang: see its log.`;
  return new CallLostError(message, error, { cause: error });
}

/** A failure of the network: `node:http` and `fetch` put what they know into different places. */
interface NetworkError extends Error {
  readonly code?: unknown;
  /** The bytes that are not HTTP. */
  readonly rawPacket?: unknown;
  readonly data?: unknown;
}

function explainLoss(url: URL, error: CallLostError): Error {
  const { cause } = error;
  const network = (cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause) as
    | NetworkError
    | undefined;
  const code = String(network?.code ?? "");
  const { lost, mayRetry } = error;
  const to = (message: string) => new CallLostError(message, { lost, mayRetry }, { cause: error });
  if (/CERT|LEAF_SIGNATURE/.test(code))
    return to(
      `The certificate of ${showUrl(url)} is not trusted: ${network?.message} (${code}). Let NODE_EXTRA_CA_CERTS name a file with the certificate of its issuer, if you trust that.`,
    );
  if (mayRetry) return error;
  const isHttps = url.protocol === "https:";
  const advice = `Check that an HTTP server listens on this port${isHttps ? "" : "; if it has TLS, begin the URL with https://"}.`;
  if (!code.startsWith("HPE_")) return to(`${error.message} ${advice}`);
  return to(`${showUrl(url)} answers with what is not HTTP: ${showBytes(network)}. ${advice}`);
}

const maxShown = 60;

function showBytes({ rawPacket, data, message }: Partial<NetworkError> = {}): string {
  const text = rawPacket instanceof Uint8Array ? new TextDecoder().decode(rawPacket) : data;
  if (typeof text !== "string") return message ?? "";
  const [line = ""] = text.split(/\r?\n/, 1);
  return `"${toPrintableLine(line, maxShown)}"`;
}

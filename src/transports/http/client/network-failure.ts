import { CallLostError } from "../../../errors.ts";
import { showUrl } from "../../../lib/text/show-url.ts";

/** Error codes of failures before anything was sent, in words. */
const neverConnected: ReadonlyMap<string | undefined, string> = new Map([
  ["ECONNREFUSED", "connection refused"],
  ["ConnectionRefused", "connection refused"],
  ["EHOSTUNREACH", "no route to the host"],
  ["ENETUNREACH", "no route to the network"],
  ["ENOTFOUND", "the host was not found"],
  ["EAI_AGAIN", "the name of the host could not be looked up"],
  ["UND_ERR_CONNECT_TIMEOUT", "the host did not answer in time"],
]);

/** The loss of a call whose `fetch` failed; it may be repeated if nothing was sent. */
export function toCallLost(url: URL, error: Error): CallLostError {
  const { cause } = error as { cause?: { code?: unknown; message?: unknown } };
  const given = cause?.code ?? (error as { code?: unknown }).code;
  const code = typeof given === "string" ? given : undefined;
  const shown = code ? ` (${code})` : "";
  if (url.protocol === "https:" && isPlainAnswer(code, error)) {
    const message = `${showUrl(url)} does not speak https (${code}); begin the URL with http:// if that is meant.`;
    return new CallLostError(message, { lost: "connection", mayRetry: true }, { cause: error });
  }
  const why = cause?.message === "bad port" ? `fetch may not use port ${url.port}` : neverConnected.get(code);
  const message = why
    ? `Can't reach ${showUrl(url)}: ${why}${shown}; check that the server runs, and the host and port of the URL.`
    : `${showUrl(url)} broke off before it answered${shown}.`;
  return new CallLostError(message, { lost: "connection", mayRetry: why !== undefined }, { cause: error });
}

/** True for the failure of TLS with a server that answers without it; `node:https` names it in the message only. */
function isPlainAnswer(code: string | undefined, { message }: Error): boolean {
  const reason = code === "EPROTO" ? message : code?.startsWith("ERR_SSL_") ? code : "";
  return /wrong.version|packet.length/i.test(reason);
}

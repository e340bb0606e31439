import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

/** A request that any client may send first, without a token. */
export interface HttpProbe {
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

type SentProbe = Omit<HttpProbe, "method"> & { readonly method: string };

const answerMs = 5_000;
const client = { name: "allspeak-doctor", version: "0" };

/** The opening of HTTP+SSE: its URL answers only to GET. */
export const streamProbe: HttpProbe = { method: "GET", headers: { accept: "text/event-stream" } };

/** The first request of a client of a revision that opens with a handshake. */
export function toInitialize(revision: string): HttpProbe {
  return toPost("initialize", { protocolVersion: revision, capabilities: {}, clientInfo: client });
}

/** The first request of a client of a revision that each request names. */
export function toDiscover(revision: string): HttpProbe {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": client,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const headers = { "mcp-protocol-version": revision, "mcp-method": "server/discover" };
  return toPost("server/discover", { _meta: meta }, headers);
}

function toPost(method: string, params: object, headers: HttpProbe["headers"] = {}): HttpProbe {
  return {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  };
}

/** Sends a probe with more headers, and ends the session that it may open. Returns the status; undefined without an answer. */
export async function sendProbe(
  url: URL,
  probe: HttpProbe,
  headers: HttpProbe["headers"],
  signal: AbortSignal,
): Promise<number | undefined> {
  const answer = await send(url, { ...probe, headers: { ...probe.headers, ...headers } }, signal);
  const session = answer?.headers["mcp-session-id"];
  if (typeof session === "string")
    await send(url, { method: "DELETE", headers: { "mcp-session-id": session } }, signal);
  return answer?.statusCode;
}

function send(
  url: URL,
  { method, headers, body }: SentProbe,
  signal: AbortSignal,
): Promise<IncomingMessage | undefined> {
  const open = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve) => {
    const sent = open(url, {
      method,
      headers,
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
    });
    sent.on("response", (response) => {
      response.destroy();
      resolve(response);
    });
    sent.on("error", () => resolve(undefined));
    sent.end(body);
  });
}

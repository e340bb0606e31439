import type { Site } from "../../guard/site.ts";
import type { Headers, HttpReply, HttpRequest } from "./exchange.ts";

/** Lets the browser show our answers to an origin that is allowed, and to no other. */
export function withCors(http: HttpRequest, reply: HttpReply, site: Site): HttpReply {
  const origin = http.header("origin");
  if (origin === undefined) return reply;
  const host = http.header("host");
  if (host === undefined || !site.allowsOrigin(origin.toLowerCase(), host.toLowerCase())) return reply;
  const cors: Headers = {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce",
    vary: "Origin",
    ...(http.method === "OPTIONS" && preflight(http)),
  };
  return {
    send: (status, headers, body) => reply.send(status, { ...headers, ...cors }, body),
    stream: (headers) => reply.stream({ ...headers, ...cors }),
    onGone: (listener) => reply.onGone(listener),
  };
}

function preflight(http: HttpRequest): Headers {
  return {
    "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
    "access-control-allow-headers": http.header("access-control-request-headers") ?? "Content-Type",
    "access-control-max-age": "600",
  };
}

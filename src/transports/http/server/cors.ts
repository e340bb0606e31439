import type { HostCheck } from "../../../guard/host-check.ts";
import type { HttpReply, HttpRequest, ResponseHeaders } from "./http-interface.ts";

/** Lets the browser show our answers to an origin that is allowed, and to no other. */
export function withCors(http: HttpRequest, reply: HttpReply, site: HostCheck): HttpReply {
  const origin = http.header("origin");
  if (origin === undefined) return reply;
  const host = http.header("host");
  if (host === undefined || !site.allowsOrigin(origin.toLowerCase(), host.toLowerCase())) return reply;
  const cors: ResponseHeaders = {
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

function preflight(http: HttpRequest): ResponseHeaders {
  return {
    "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
    "access-control-allow-headers": http.header("access-control-request-headers") ?? "Content-Type",
    "access-control-max-age": "600",
  };
}

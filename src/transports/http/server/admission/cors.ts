import type { HostCheck } from "../../../../guard/host-check.ts";
import {
  type HttpReply,
  type HttpRequest,
  type ResponseHeaders,
  withResponseHeaders,
} from "../http-interface.ts";

/** A reply that lets the browser show our answers to an origin that is allowed, and to no other. */
export function withCors(http: HttpRequest, reply: HttpReply, hosts: HostCheck): HttpReply {
  const origin = http.header("origin");
  if (origin === undefined) return reply;
  const host = http.header("host");
  if (host === undefined || !hosts.allowsOrigin(origin.toLowerCase(), host.toLowerCase())) return reply;
  return withResponseHeaders(reply, {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce",
    vary: "Origin",
    ...(http.method === "OPTIONS" && preflight(http)),
  });
}

/**
 * The headers with which the browser shows a page why its origin was refused. They open nothing: each request
 * is refused by its own origin before it is read, its answer holds only the reason, and credentials are not
 * allowed. Without them the page would learn no more than that the request failed.
 */
export function refusedOriginHeaders(http: HttpRequest): ResponseHeaders {
  return {
    "access-control-allow-origin": http.header("origin") ?? "null",
    vary: "Origin",
    ...(isPreflight(http) && { ...preflight(http), "access-control-max-age": "0" }),
  };
}

/** True if a browser asks if it may send a request from a page. */
export function isPreflight(http: HttpRequest): boolean {
  return http.method === "OPTIONS" && http.header("access-control-request-method") !== undefined;
}

function preflight(http: HttpRequest): ResponseHeaders {
  return {
    "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
    "access-control-allow-headers": http.header("access-control-request-headers") ?? "Content-Type",
    "access-control-max-age": "600",
  };
}

import type { HostCheck } from "../../../../guard/host-check.ts";
import { sendError } from "../error-response.ts";
import type { HttpReply, HttpRequest } from "../http-interface.ts";
import type { HttpSettings } from "../http-options.ts";
import type { RefusedHost } from "./admission.ts";
import { isPreflight, refusedOriginHeaders } from "./cors.ts";
import { describeEndpoint, quotePath } from "./refusal-log.ts";

/** Refuses a request for its host or its origin. */
export function refuseHost(
  http: HttpRequest,
  reply: HttpReply,
  { kind, reason }: RefusedHost,
  hosts: HostCheck,
): void {
  if (kind === "host" || !hosts.mayShowRefusal(http)) sendError(reply, 403, reason);
  // Only the request after a preflight can show the reason.
  else if (isPreflight(http)) reply.send(204, refusedOriginHeaders(http));
  else sendError(reply, 403, reason, { headers: refusedOriginHeaders(http) });
}

/** Refuses a path that is not served. */
export function sendNotFound(http: HttpRequest, reply: HttpReply, settings: HttpSettings): void {
  const asked = quotePath(http.prefix + http.path);
  sendError(reply, 404, `There is nothing at ${asked}; ${describeEndpoint(http, settings)}.`);
}

/**
 * Refuses a method that a path does not have.
 *
 * basic/transports/streamable-http#earlier-streamable-http-revisions (2026-07-28)
 */
export function sendMethodError(
  http: HttpRequest,
  reply: HttpReply,
  methods: ReadonlyMap<string, unknown>,
  settings: HttpSettings,
): void {
  const allow = [...methods.keys()].join(", ");
  const isSse = http.path === settings.sse?.path && http.method === "POST";
  const advice = isSse
    ? ` This path is for HTTP+SSE, which opens it with GET; ${describeEndpoint(http, settings)}.`
    : "";
  sendError(reply, 405, `Only ${allow} is allowed here.${advice}`, { headers: { allow } });
}

import { quotePath } from "../admission/refusal-log.ts";
import { sendError } from "../error-response.ts";
import type { HttpReply, HttpRequest } from "../http-interface.ts";
import type { HttpSettings } from "../http-options.ts";

/** The way to the endpoint, in words, for a request that missed it. */
export function describeEndpoint({ mountPath }: HttpRequest, { path }: HttpSettings): string {
  return `the MCP endpoint of this server is ${mountPath}${path}`;
}

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

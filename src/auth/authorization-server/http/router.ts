import { OverloadedError } from "../../../errors.ts";
import { Throttle } from "../../../lib/async/throttle.ts";
import { OAuthError, temporarilyUnavailable, toErrorDescription } from "./oauth-error.ts";
import { jsonResponse } from "./response.ts";

export type EndpointHandler = (request: Request) => Response | Promise<Response>;

export interface OAuthEndpoint {
  readonly GET?: EndpointHandler;
  readonly POST?: EndpointHandler;
  /** Allows pages of any origin to read the responses (CORS). Never for pages or endpoints with cookies. */
  readonly allowAnyOrigin?: boolean;
}

const corsHeaders = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "authorization, content-type, dpop, mcp-protocol-version",
  "access-control-allow-methods": "GET, POST, OPTIONS",
  "access-control-expose-headers": "dpop-nonce, www-authenticate",
  "access-control-max-age": "600",
};

/** Answers a request by the endpoint at its path; undefined where there is none. */
export async function routeRequest(
  request: Request,
  endpoints: ReadonlyMap<string, OAuthEndpoint>,
): Promise<Response | undefined> {
  const endpoint = endpoints.get(new URL(request.url).pathname);
  if (endpoint === undefined) return undefined;
  const response = await answer(request, endpoint);
  if (endpoint.allowAnyOrigin)
    for (const [name, value] of Object.entries(corsHeaders)) response.headers.set(name, value);
  return response;
}

async function answer(request: Request, endpoint: OAuthEndpoint): Promise<Response> {
  const { method } = request;
  if (method === "OPTIONS" && endpoint.allowAnyOrigin) return new Response(null, { status: 204 });
  const handler = method === "GET" || method === "POST" ? endpoint[method] : undefined;
  if (handler === undefined) {
    const allow = ["GET", "POST"].filter((name) => name in endpoint).join(", ");
    return jsonResponse({ error: "invalid_request" }, 405, { allow });
  }
  try {
    return await handler(request);
  } catch (error) {
    if (error instanceof OAuthError) return toErrorResponse(error);
    if (error instanceof OverloadedError) {
      reportUnavailable(error);
      return toErrorResponse(temporarilyUnavailable());
    }
    console.error("allspeak: an authorization request failed:", error);
    return jsonResponse({ error: "server_error", error_description: "The server failed." }, 500);
  }
}

const reports = new Throttle(10_000);

/** Reports at most once in ten seconds: while the store is down, every request fails. */
export function reportUnavailable(error: OverloadedError): void {
  if (reports.isDue()) console.error("allspeak: an authorization request could not be stored:", error);
}

function toErrorResponse({ error, message, status, headers }: OAuthError): Response {
  return jsonResponse({ error, error_description: toErrorDescription(message) }, status, headers);
}

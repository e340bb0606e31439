import { OverloadedError } from "../../../errors.ts";
import { OAuthError, toErrorDescription } from "./oauth-error.ts";
import { jsonResponse } from "./response.ts";

export type EndpointHandler = (request: Request) => Response | Promise<Response>;

export interface OAuthEndpoint {
  readonly GET?: EndpointHandler;
  readonly POST?: EndpointHandler;
  /** Whether pages of any site may read the answers. Never for what a browser shows or has cookies for. */
  readonly allowAnyOrigin?: boolean;
}

const openHeaders = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "authorization, content-type, dpop, mcp-protocol-version",
  "access-control-allow-methods": "GET, POST, OPTIONS",
  "access-control-expose-headers": "dpop-nonce, www-authenticate",
  "access-control-max-age": "600",
};

/** Finds the route of a request and answers with it; undefined where there is none. */
export async function routeRequest(
  request: Request,
  routes: ReadonlyMap<string, OAuthEndpoint>,
): Promise<Response | undefined> {
  const found = routes.get(new URL(request.url).pathname);
  if (found === undefined) return undefined;
  const response = await answer(request, found);
  if (found.allowAnyOrigin)
    for (const [name, value] of Object.entries(openHeaders)) response.headers.set(name, value);
  return response;
}

async function answer(request: Request, found: OAuthEndpoint): Promise<Response> {
  const { method } = request;
  if (method === "OPTIONS" && found.allowAnyOrigin) return new Response(null, { status: 204 });
  const handler = method === "GET" || method === "POST" ? found[method] : undefined;
  if (handler === undefined) {
    const allow = ["GET", "POST"].filter((name) => name in found).join(", ");
    return jsonResponse({ error: "invalid_request" }, 405, { allow });
  }
  try {
    return await handler(request);
  } catch (error) {
    if (error instanceof OAuthError) return toAnswer(error);
    if (error instanceof OverloadedError) return jsonResponse({ error: "temporarily_unavailable" }, 503);
    console.error("allspeak: an authorization request failed:", error);
    return jsonResponse({ error: "server_error", error_description: "Something went wrong here." }, 500);
  }
}

function toAnswer({ error, message, status, headers }: OAuthError): Response {
  return jsonResponse({ error, error_description: toErrorDescription(message) }, status, headers);
}

import type { IncomingMessage, ServerResponse } from "node:http";
import { type Servable, serviceOf } from "../../contract/service.ts";
import { HttpEndpoint } from "../../transports/http/server/endpoint.ts";
import type { HttpOptions } from "../../transports/http/server/http-options.ts";
import { NodeReply, sendQueuedAnswers } from "../../transports/http/server/node/node-reply.ts";
import { NodeRequest } from "../../transports/http/server/node/node-request.ts";

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** The part of Fastify's request that is used. */
export interface RouteRequest {
  readonly raw: IncomingMessage;
  readonly body: unknown;
  readonly routeOptions: { readonly url?: string | undefined };
}

/** The part of Fastify's reply that is used. */
export interface RouteReply {
  readonly raw: ServerResponse;
  hijack(): unknown;
  callNotFound(): unknown;
}

/** A handler for `node:http` and the frameworks on top of it. */
export interface NodeHandler {
  /** Calls `next`, where a framework such as Express gives one, for paths that it does not serve. */
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void;
  /** A handler of Fastify, for one path or for all below one: `app.all("/mcp", mcp)`. */
  (request: RouteRequest, reply: RouteReply): void;
  /** Accepts no more requests, gives running ones time to finish, and ends all streams. */
  close(drainMs?: number): Promise<void>;
}

export function createNodeHandler(server: Servable, options: HttpOptions = {}): NodeHandler {
  const endpoint = new HttpEndpoint(serviceOf("createNodeHandler", server), options);
  const handle = (
    request: IncomingMessage | RouteRequest,
    response: ServerResponse | RouteReply,
    next?: () => void,
  ): void => {
    if (!("hijack" in response)) return answer(endpoint, request as IncomingMessage, response, next);
    const { raw, body, routeOptions } = request as RouteRequest;
    const http = new NodeRequest(raw, endpoint, { pattern: routeOptions.url, body });
    if (endpoint.passesOn(http)) return void response.callNotFound();
    response.hijack();
    endpoint.handle(http, new NodeReply(response.raw, endpoint.stallMs));
  };
  return Object.assign(handle as NodeHandler, {
    close: (drainMs?: number) => closeEndpoint(endpoint, drainMs),
  });
}

/** Closes an endpoint; its answers have left, so that its connections may be closed. */
export async function closeEndpoint(endpoint: HttpEndpoint, drainMs?: number): Promise<void> {
  await endpoint.close(drainMs);
  sendQueuedAnswers();
}

export function toRequestListener(endpoint: HttpEndpoint): RequestListener {
  return (request, response) => answer(endpoint, request, response);
}

function answer(
  endpoint: HttpEndpoint,
  request: IncomingMessage,
  response: ServerResponse,
  next?: () => void,
): void {
  const http = new NodeRequest(request, endpoint);
  if (next && endpoint.passesOn(http)) return next();
  endpoint.handle(http, new NodeReply(response, endpoint.stallMs));
}

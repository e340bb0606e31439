import type { IncomingMessage, ServerResponse } from "node:http";
import { type Servable, serviceOf } from "../contract/service.ts";
import { HttpEndpoint } from "../transports/http/server/endpoint.ts";
import type { HttpOptions } from "../transports/http/server/http-options.ts";
import { NodeReply } from "../transports/http/server/node/node-reply.ts";
import { NodeRequest } from "../transports/http/server/node/node-request.ts";

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** A handler for `node:http` and the frameworks on top of it. */
export interface NodeHandler extends RequestListener {
  /** Accepts no more requests, gives running ones time to finish, and ends all streams. */
  close(drainMs?: number): Promise<void>;
}

export function createNodeHandler(server: Servable, options: HttpOptions = {}): NodeHandler {
  const endpoint = new HttpEndpoint(serviceOf("createNodeHandler", server), options);
  return Object.assign(toRequestListener(endpoint), { close: (drainMs?: number) => endpoint.close(drainMs) });
}

export function toRequestListener(endpoint: HttpEndpoint): RequestListener {
  return (request, response) =>
    void endpoint.handle(new NodeRequest(request), new NodeReply(response, endpoint.stallMs));
}

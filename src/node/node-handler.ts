import type { IncomingMessage, ServerResponse } from "node:http";
import type { Servable } from "../contract/service.ts";
import { HttpEndpoint } from "../transports/http/server/endpoint.ts";
import type { HttpOptions } from "../transports/http/server/http-options.ts";
import { NodeReply } from "../transports/http/server/node/node-reply.ts";
import { NodeRequest } from "../transports/http/server/node/node-request.ts";

type OnRequest = (request: IncomingMessage, response: ServerResponse) => void;

/** A handler for `node:http` and the frameworks on top of it. */
export interface NodeHandler extends OnRequest {
  /** Takes no more requests, lets those under way finish, and ends all streams. */
  close(drainMs?: number): Promise<void>;
}

export function createNodeHandler(server: Servable, options: HttpOptions = {}): NodeHandler {
  const core = new HttpEndpoint(server["~service"](), options);
  return Object.assign(toRequestListener(core), { close: (drainMs?: number) => core.close(drainMs) });
}

export function toRequestListener(core: HttpEndpoint): OnRequest {
  return (request, response) =>
    void core.handle(new NodeRequest(request), new NodeReply(response, core.stallMs));
}

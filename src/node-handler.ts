import type { IncomingMessage, ServerResponse } from "node:http";
import type { Servable } from "./peer/service.ts";
import { HttpCore } from "./transports/http/http-core.ts";
import type { HttpOptions } from "./transports/http/http-options.ts";
import { NodeReply } from "./transports/http/node/node-reply.ts";
import { NodeRequest } from "./transports/http/node/node-request.ts";

type OnRequest = (request: IncomingMessage, response: ServerResponse) => void;

/** A handler for `node:http` and the frameworks on top of it. */
export interface NodeHandler extends OnRequest {
  /** Takes no more requests, lets those under way finish, and ends all streams. */
  close(drainMs?: number): Promise<void>;
}

export function createNodeHandler(server: Servable, options: HttpOptions = {}): NodeHandler {
  const core = new HttpCore(server["~service"](), options);
  return Object.assign(toOnRequest(core), { close: (drainMs?: number) => core.close(drainMs) });
}

export function toOnRequest(core: HttpCore): OnRequest {
  return (request, response) =>
    void core.handle(new NodeRequest(request), new NodeReply(response, core.stallMs));
}

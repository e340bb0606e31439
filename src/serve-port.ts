import { Conversation, type ConversationOptions } from "./peer/conversation.ts";
import type { Servable } from "./peer/service.ts";
import type { PortLike } from "./transports/port/port-like.ts";
import { PortPipe } from "./transports/port/port-pipe.ts";

/**
 * Serves a server value to whoever holds the other end of a `MessagePort`, or the other
 * side of a `Worker`.
 */
export function servePort(server: Servable, port: PortLike, options?: ConversationOptions): Conversation {
  return new Conversation(server["~service"](), new PortPipe(port), options);
}

import { type Servable, serviceOf } from "../../contract/service.ts";
import { ServerConnection, type ServerConnectionOptions } from "../../peer/server-connection.ts";
import { PortPipe } from "./pipe.ts";
import type { PortLike } from "./port-like.ts";

/** Serves a server value to the client at the other end of a `MessagePort`, or at the other side of a `Worker`. */
export function servePort(
  server: Servable,
  port: PortLike,
  options?: ServerConnectionOptions,
): ServerConnection {
  return new ServerConnection(serviceOf("servePort", server), new PortPipe(port), options);
}

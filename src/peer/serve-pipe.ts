import type { Pipe } from "../contract/pipe.ts";
import { type Servable, serviceOf } from "../contract/service.ts";
import { ServerConnection, type ServerConnectionOptions } from "./server-connection.ts";

/** Serves a server value at one end of a pipe. */
export function servePipe(server: Servable, pipe: Pipe, options?: ServerConnectionOptions): ServerConnection {
  return new ServerConnection(serviceOf("servePipe", server), pipe, options);
}

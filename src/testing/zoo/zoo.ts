import { zooClients } from "./clients.ts";
import { zooServers } from "./servers.ts";

/** Badly behaved servers to test clients and hosts with, and badly behaved clients to test servers with. */
export const zoo: { readonly servers: typeof zooServers; readonly clients: typeof zooClients } = {
  servers: zooServers,
  clients: zooClients,
};

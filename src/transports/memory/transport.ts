import type { Servable } from "../../contract/service.ts";
import type { Transport } from "../../contract/transport.ts";
import { pipeTransport } from "../../peer/pipe-transport.ts";
import { ServerConnection } from "../../peer/server-connection.ts";
import { createMemoryPipe } from "./pipe.ts";

/** The transport to a server value in this process. Each `open` serves the value at the far end of a new pipe. */
export function memoryTransport(server: Servable): Transport {
  return pipeTransport("memory", async () => {
    const service = server["~service"]();
    await service.ready;
    const [near, far] = createMemoryPipe();
    // A limit on calls would protect nothing: a caller in this process can fill its memory directly.
    new ServerConnection(service, far, { maxCalls: Number.POSITIVE_INFINITY });
    return near;
  });
}

import type { Transport } from "../../contract/transport.ts";
import { UsageError } from "../../errors.ts";
import { pipeTransport } from "../../peer/pipe-transport.ts";
import { PortPipe } from "./pipe.ts";
import type { PortLike } from "./port-like.ts";

/**
 * Reaches a server at the other end of a `MessagePort`, in a `Worker`, or around this worker.
 *
 * A port can be connected once. Give a function that makes a new one where a connection
 * may have to be opened again.
 */
export function portTransport(port: PortLike | (() => PortLike | Promise<PortLike>)): Transport {
  let used = false;
  return pipeTransport("port", async () => {
    if (typeof port === "function") return new PortPipe(await port());
    if (used)
      throw new UsageError("A port can be connected once; give portTransport a function that makes one.");
    used = true;
    return new PortPipe(port);
  });
}

import type { Transport } from "../../contract/transport.ts";
import { UsageError } from "../../errors.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import { pipeTransport } from "../../peer/pipe-transport.ts";
import { PortPipe } from "./pipe.ts";
import type { PortLike } from "./port-like.ts";

/**
 * A transport to a server at the other end of a `MessagePort`, in a `Worker`, or outside this worker.
 *
 * A port can be connected once. Give a function that makes a new port if the connection
 * may have to be reopened.
 */
export function portTransport(port: PortLike | (() => PortLike | Promise<PortLike>)): Transport {
  if (typeof port !== "function" && typeof Object(port).postMessage !== "function")
    throw new UsageError(`portTransport takes a MessagePort or a Worker, not ${describeValue(port)}.`);
  let used = false;
  return pipeTransport("port", async () => {
    if (typeof port === "function") return new PortPipe(await port());
    if (used)
      throw new UsageError("A port can be connected once; give portTransport a function that makes one.");
    used = true;
    return new PortPipe(port);
  });
}

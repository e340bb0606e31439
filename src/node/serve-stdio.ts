import type { Servable } from "../contract/service.ts";
import { ServerConnection } from "../peer/server-connection.ts";
import { createStdioPipe, type StdioPipeOptions } from "../transports/stdio/server-pipe.ts";
import { type ShutdownReason, superviseProcess } from "./supervise-process.ts";

export interface ServeStdioOptions extends Omit<StdioPipeOptions, "beforeEnd"> {
  /** Runs before the process exits; it has until the grace is over. */
  readonly onShutdown?: (reason: ShutdownReason) => void | Promise<void>;
  /** How long the process may take to exit once its input has ended. Default 800 ms. */
  readonly graceMs?: number;
  /** Whether to exit when the parent process is gone. Default true. */
  readonly watchParent?: boolean;
  /** Calls that run at once; further ones are refused. Default 1,000. */
  readonly maxCalls?: number | undefined;
}

export interface StdioServerHandle {
  /** Ends the conversation and lets go of the streams; the process goes on. */
  close(): Promise<void>;
  /** Settles when the client is gone or `close` was called. */
  readonly closed: Promise<void>;
}

/**
 * Serves a server value on the standard streams of this process, which ends with its input.
 *
 * Whatever else the program writes to stdout goes to stderr meanwhile.
 */
export async function serveStdio(
  server: Servable,
  options: ServeStdioOptions = {},
): Promise<StdioServerHandle> {
  const { onShutdown, graceMs = 800, watchParent, maxCalls, ...streams } = options;
  let asked = false;
  // Requests that came before the end of input, as from `echo ... | server`, may still be answered.
  const drained = () => conversation.drained(graceMs / 2);
  const beforeEnd = () => {
    // The grace begins here, so that draining and hooks share it.
    if (!asked) supervision.shutdown("connection-closed");
    return drained();
  };
  const pipe = createStdioPipe({ ...streams, beforeEnd });
  const conversation = new ServerConnection(server["~service"](), pipe, { maxCalls });
  const supervision = superviseProcess({
    graceMs,
    watchParent,
    onShutdown: async (reason) => {
      await drained();
      pipe.endInput();
      await onShutdown?.(reason);
      await conversation.close(0);
      await pipe.flushed();
    },
  });
  void conversation.closed.then(() => {
    if (!asked) supervision.shutdown("connection-closed");
  });
  return {
    closed: conversation.closed,
    close: async () => {
      asked = true;
      supervision.release();
      await conversation.close();
    },
  };
}

import type { Readable, Writable } from "node:stream";
import { assertOptions, type OptionKinds } from "../../contract/options.ts";
import { type PingOptions, pingOptionKinds } from "../../contract/ping.ts";
import { type Servable, serviceOf } from "../../contract/service.ts";
import { ServerConnection } from "../../peer/server-connection.ts";
import {
  createStdioPipe,
  type StdioPipe,
  type StdioPipeOptions,
} from "../../transports/stdio/server-pipe.ts";
import { writeStderr } from "../../transports/stdio/write-stderr.ts";
import { readStandardInput } from "./standard-input.ts";
import { guardStdout } from "./stdout-guard.ts";
import { type ShutdownReason, superviseProcess } from "./supervise-process.ts";

export interface ServeStdioOptions {
  /** Default: the standard input of this process. */
  readonly input?: Readable;
  /** Default: the standard output of this process, which then carries only messages until the close. */
  readonly output?: Writable;
  /** A longer message is refused, and the connection goes on. Default: 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Runs before the process exits, within the grace period. */
  readonly onShutdown?: (reason: ShutdownReason) => void | Promise<void>;
  /** The grace period: time for the process to exit once its input has ended. Default 800 ms. */
  readonly graceMs?: number;
  /** Exits when the parent process is gone. Default true. */
  readonly watchParent?: boolean;
  /** Calls that run at once; further ones wait for their turn. Default 1,000. */
  readonly maxCalls?: number | undefined;
  /** Sends pings to the client at an interval, in revisions that have them. Default: none. */
  readonly ping?: PingOptions | undefined;
}

const stdioOptionKinds: OptionKinds<ServeStdioOptions> = {
  input: "object",
  output: "object",
  maxMessageBytes: "number",
  onShutdown: "function",
  graceMs: "number",
  watchParent: "boolean",
  maxCalls: "number",
  ping: pingOptionKinds,
};

export interface StdioServerHandle {
  /** Closes the connection and releases the streams; the process goes on. */
  close(): Promise<void>;
  /** Settles when the client is gone or `close` was called. */
  readonly closed: Promise<void>;
}

/**
 * Serves a server value on the standard streams of this process, which exits when its input ends.
 *
 * Anything else that the program writes to stdout goes to stderr meanwhile. In a terminal, where a person
 * waits and no client, stderr shows what the program waits for.
 */
export async function serveStdio(
  server: Servable,
  options: ServeStdioOptions = {},
): Promise<StdioServerHandle> {
  assertOptions("serveStdio", options, stdioOptionKinds);
  const service = serviceOf("serveStdio", server);
  // Without a need to wait, stdout is guarded before this function returns its promise.
  if (service.ready !== undefined) await service.ready;
  const { input = process.stdin, output = process.stdout, maxMessageBytes } = options;
  const { onShutdown, graceMs = 800, watchParent, maxCalls, ping } = options;
  let isClosing = false;
  // The grace period begins with the end of input, so that draining and hooks share it.
  const onEnd = () => {
    if (!isClosing) supervision.shutdown("connection-closed");
  };
  // Requests that came before the end of input, as from `echo ... | server`, may still be answered.
  const drained = () => connection.drained(graceMs / 2);
  const onInputEnd = () => {
    onEnd();
    return drained();
  };
  const pipe = openPipe({ input, output, maxMessageBytes, onInputEnd });
  const connection = new ServerConnection(service, pipe, { maxCalls, ping });
  const supervision = superviseProcess({
    graceMs,
    watchParent,
    onShutdown: async (reason) => {
      // After the end of input a client may still read the answers that it waits for; a signal ends them all.
      if (reason !== "connection-closed") connection.endListening();
      await drained();
      pipe.endInput();
      await onShutdown?.(reason);
      await connection.close(0);
      await pipe.flushed();
    },
  });
  void connection.closed.then(onEnd);
  if ("isTTY" in input && input.isTTY === true) explainWaiting();
  const close = async () => {
    isClosing = true;
    supervision.release();
    await connection.close();
  };
  return { closed: connection.closed, close };
}

/** The pipe over the streams: standard input is read the quick way, and standard output guarded. */
function openPipe(options: StdioPipeOptions): StdioPipe {
  const { input, output } = options;
  const guard = output === process.stdout ? guardStdout : undefined;
  return createStdioPipe({ ...options, guard, read: (onChunk) => readStandardInput(input, onChunk) });
}

function explainWaiting(): void {
  const args = [...process.execArgv, ...process.argv.slice(1)];
  const command = JSON.stringify({ command: "node", args });
  writeStderr(
    `This MCP server waits for a client on its standard input. Let a client start it: ${command}. Ctrl-C ends it.\n`,
  );
}

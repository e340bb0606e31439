import type { Pipe } from "../../peer/pipe.ts";
import { pipeTransport, type Transport } from "../../peer/transport.ts";
import { CancelledError } from "../../protocol/errors.ts";
import { ChildPipe } from "./child-pipe.ts";
import { startChild } from "./start-child.ts";
import type { StdioCommand } from "./stdio-command.ts";

export type { StdioCommand };

const defaultStepMs = 1_500;

/** Each connection starts a process of its own, which ends with it. */
export function stdioTransport(command: StdioCommand): Transport {
  return pipeTransport("stdio", (signal) => openChild(command, signal));
}

async function openChild(command: StdioCommand, signal: AbortSignal | undefined): Promise<Pipe> {
  if (signal?.aborted) throw new CancelledError("Connecting was cancelled.", { cause: signal.reason });
  const { closeMs = defaultStepMs, termMs = defaultStepMs } = command.shutdown ?? {};
  const child = await startChild(command);
  return new ChildPipe(child, { closeMs, termMs, maxMessageBytes: command.maxMessageBytes });
}

import type { Pipe } from "../../contract/pipe.ts";
import { CancelledError } from "../../errors.ts";
import { ChildPipe } from "./child-pipe.ts";
import type { RepeatedStderrFilter } from "./repeated-stderr.ts";
import { startChild } from "./start-child.ts";
import type { StdioCommand } from "./stdio-command.ts";

const defaultStepMs = 1_500;

/** Starts a command and gives the pipe to it. */
export async function openChild(
  command: StdioCommand,
  signal?: AbortSignal,
  repeated?: RepeatedStderrFilter,
): Promise<Pipe> {
  if (signal?.aborted) throw new CancelledError("Connecting was cancelled.", { cause: signal.reason });
  const { closeMs = defaultStepMs, termMs = defaultStepMs } = command.shutdown ?? {};
  const child = await startChild(command, repeated);
  return new ChildPipe(child, { closeMs, termMs, maxMessageBytes: command.maxMessageBytes });
}

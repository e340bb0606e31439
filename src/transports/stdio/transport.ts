import { assertOptions } from "../../contract/options.ts";
import type { Transport } from "../../contract/transport.ts";
import { pipeTransport } from "../../peer/pipe-transport.ts";
import type { RepeatedStderrFilter } from "./child-stderr.ts";
import { type StdioCommand, stdioCommandKinds } from "./stdio-command.ts";

export type { StdioCommand };

/** Starts a process for each connection; the process ends with its connection. */
export function stdioTransport(command: StdioCommand): Transport {
  assertOptions("A command", command, stdioCommandKinds);
  let repeated: RepeatedStderrFilter | undefined;
  return pipeTransport("stdio", async (signal) => {
    // Loaded on demand: servers share this entry, and start faster without it.
    const [{ openChildPipe }, stderr] = await Promise.all([
      import("./child-pipe.ts"),
      import("./child-stderr.ts"),
    ]);
    repeated ??= new stderr.RepeatedStderrFilter();
    return openChildPipe(command, signal, repeated);
  });
}

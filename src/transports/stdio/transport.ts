import type { Transport } from "../../contract/transport.ts";
import { pipeTransport } from "../../peer/pipe-transport.ts";
import type { RepeatedStderrFilter } from "./repeated-stderr.ts";
import type { StdioCommand } from "./stdio-command.ts";

export type { StdioCommand };

/** Each connection starts a process of its own, which ends with it. */
export function stdioTransport(command: StdioCommand): Transport {
  let repeated: RepeatedStderrFilter | undefined;
  return pipeTransport("stdio", async (signal) => {
    // Loaded when it is needed: servers share this entry, and start faster without it.
    const [{ openChild }, stderr] = await Promise.all([
      import("./open-child.ts"),
      import("./repeated-stderr.ts"),
    ]);
    repeated ??= new stderr.RepeatedStderrFilter();
    return openChild(command, signal, repeated);
  });
}

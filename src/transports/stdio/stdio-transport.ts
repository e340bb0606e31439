import { pipeTransport, type Transport } from "../../peer/transport.ts";
import type { RepeatedStderr } from "./repeated-stderr.ts";
import type { StdioCommand } from "./stdio-command.ts";

export type { StdioCommand };

/** Each connection starts a process of its own, which ends with it. */
export function stdioTransport(command: StdioCommand): Transport {
  let repeated: RepeatedStderr | undefined;
  return pipeTransport("stdio", async (signal) => {
    // Loaded when it is needed: servers share this entry, and start faster without it.
    const [{ openChild }, stderr] = await Promise.all([
      import("./open-child.ts"),
      import("./repeated-stderr.ts"),
    ]);
    repeated ??= new stderr.RepeatedStderr();
    return openChild(command, signal, repeated);
  });
}

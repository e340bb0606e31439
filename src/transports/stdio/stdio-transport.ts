import { pipeTransport, type Transport } from "../../peer/transport.ts";
import type { StdioCommand } from "./stdio-command.ts";

export type { StdioCommand };

/** Each connection starts a process of its own, which ends with it. */
export function stdioTransport(command: StdioCommand): Transport {
  return pipeTransport("stdio", async (signal) => {
    // Loaded when it is needed: servers share this entry, and start faster without it.
    const { openChild } = await import("./open-child.ts");
    return openChild(command, signal);
  });
}

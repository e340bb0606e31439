import type { Transport } from "../contract/transport.ts";
import { type StdioCommand, stdioTransport } from "../transports/stdio/transport.ts";

/** The transport to a command that a client starts. */
export function openCommand(command: StdioCommand): Transport {
  return stdioTransport(command);
}

import { isReachable, type Reachable, type Transport } from "../peer/transport.ts";
import { UsageError } from "../protocol/errors.ts";
import type { StdioCommand } from "../transports/stdio/stdio-command.ts";
import { splitCommand } from "./command.ts";

/** What can be connected to: a server value, a transport, or a command that starts a server. */
export type Target = Reachable | Transport | StdioCommand | string;

export async function toTransport(target: Target): Promise<Transport> {
  if (typeof target === "string") return fromText(target);
  if (isReachable(target)) return target["~transport"]();
  if (typeof target === "object" && target !== null) {
    if ("open" in target) return target;
    if ("command" in target) return fromCommand(target);
  }
  throw new UsageError("connect takes a server value, a transport, or a command.");
}

async function fromText(text: string): Promise<Transport> {
  if (/^https?:\/\//i.test(text)) return fromUrl(text);
  return fromCommand(splitCommand(text));
}

/** Loaded when needed: only this part needs Node. */
async function fromCommand(command: StdioCommand): Promise<Transport> {
  const { stdioTransport } = await import("../transports/stdio/stdio-transport.ts");
  return stdioTransport(command);
}

async function fromUrl(url: string): Promise<Transport> {
  throw new UsageError(
    `HTTP is not in this build yet, so ${url} can't be reached; use a command or a server value.`,
  );
}

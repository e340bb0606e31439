import type { Transport } from "../../contract/transport.ts";
import { showUrl } from "../../lib/text/show-url.ts";
import type { Implementation } from "../../protocol/model/identity.ts";
import type { Target } from "./target.ts";

/**
 * The key under which a server is remembered: its address, since the name that it gives itself
 * proves nothing. That name is used only for a server value and a transport without an address.
 */
export async function toServerId(
  target: Target,
  transport: Transport,
  info: Implementation | undefined,
): Promise<string> {
  if (transport.address !== undefined) return transport.address;
  const url = typeof target === "object" && "url" in target ? target.url : target;
  if (url instanceof URL || /^wss?:/i.test(String(url))) return showUrl(new URL(String(url)));
  const isCommand = typeof target === "string" || "command" in target;
  if (!isCommand) return `${transport.kind}:${info?.name ?? ""}`;
  const { toCommandId, toCommandLineId } = await import("./command-line.ts");
  return typeof target === "string" ? toCommandLineId(target) : toCommandId(target);
}

import type { Transport } from "../../contract/transport.ts";
import { showUrl } from "../../lib/text/show-url.ts";
import type { Implementation } from "../../protocol/model/identity.ts";
import { splitCommand } from "./split-command.ts";
import type { Target } from "./target.ts";

/**
 * The key under which a server is remembered: its address, since the name that it gives itself
 * proves nothing. That name is used only for a server value and a transport without an address.
 */
export function toServerId(target: Target, transport: Transport, info: Implementation | undefined): string {
  if (transport.address !== undefined) return transport.address;
  const url = typeof target === "object" && "url" in target ? target.url : target;
  if (url instanceof URL || /^wss?:/i.test(String(url))) return showUrl(new URL(String(url)));
  if (typeof target === "string") return toCommandId(splitCommand(target));
  if (typeof target === "object" && "command" in target) return toCommandId(target);
  return `${transport.kind}:${info?.name ?? ""}`;
}

/** Another program, or the same with other arguments, is another server. */
function toCommandId({
  command,
  args = [],
}: {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
}): string {
  return `command:${JSON.stringify([command, ...args])}`;
}

import { platform } from "#platform";
import { isServable, type Servable } from "../../contract/service.ts";
import type { Transport } from "../../contract/transport.ts";
import { UsageError } from "../../errors.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import type { HttpClientOptions } from "../../transports/http/client/options.ts";
import { httpTransport } from "../../transports/http/client/transport.ts";
import type { StdioCommand } from "../../transports/stdio/stdio-command.ts";
import { websocketTransport } from "../../transports/websocket/transport.ts";
import type { UrlTarget } from "./url-target.ts";

/** A server to connect to: a URL, a server value, a transport, or a command that starts a server. */
export type Target = URL | UrlTarget | Servable | Transport | StdioCommand | string;

export async function toTransport(target: Target, options: HttpClientOptions = {}): Promise<Transport> {
  if (typeof target === "string") return fromText(target, options);
  if (target instanceof URL) return fromUrl(target, options);
  if (isServable(target)) return fromServer(target);
  if (typeof target === "object" && target !== null) {
    if ("open" in target) return target;
    if ("command" in target) return platform.openCommand(target);
    if ("url" in target) return fromUrlTarget(target, options);
  }
  throw new UsageError(
    `connect takes a URL, a server value, a transport or a command, not ${describeValue(target)}.`,
  );
}

/** Loads how command lines are read only when there is one: no browser, and few other clients of a URL, needs it. */
async function fromText(text: string, options: HttpClientOptions): Promise<Transport> {
  if (/^(?:https?|wss?):\/\//i.test(text)) return fromUrl(text, options);
  const { openCommandLine } = await import("./command-line.ts");
  return openCommandLine(text);
}

/** Loads the server side of a connection only when it is needed: most clients never meet a server value. */
async function fromServer(server: Servable): Promise<Transport> {
  const { memoryTransport } = await import("../../transports/memory/transport.ts");
  return memoryTransport(server);
}

/** Loaded when needed: mostly hosts with a file of servers use this form. */
async function fromUrlTarget(target: UrlTarget, options: HttpClientOptions): Promise<Transport> {
  const { addHeaders, checkUrl } = await import("./url-target.ts");
  return fromUrl(checkUrl(target), addHeaders(options, target));
}

function fromUrl(url: string | URL, { fetch, headers, auth }: HttpClientOptions): Transport {
  if (/^wss?:/i.test(String(url))) {
    if (auth) throw new UsageError("auth is for http and https; over WebSockets pass the token in headers.");
    return websocketTransport(url, { ...(headers && { headers }) });
  }
  return httpTransport(url, { ...(fetch && { fetch }), ...(headers && { headers }), auth });
}

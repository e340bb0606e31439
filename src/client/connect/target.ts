import { platform } from "#platform";
import { isServable, type Servable } from "../../contract/service.ts";
import type { Transport } from "../../contract/transport.ts";
import { ProcessError, UsageError } from "../../errors.ts";
import type { HttpClientOptions } from "../../transports/http/client/options.ts";
import { httpTransport } from "../../transports/http/client/transport.ts";
import type { StdioCommand } from "../../transports/stdio/stdio-command.ts";
import { websocketTransport } from "../../transports/websocket/transport.ts";
import { splitCommand } from "./split-command.ts";
import type { UrlTarget } from "./url-target.ts";

/** A server to connect to: a URL, a server value, a transport, or a command that starts a server. */
export type Target = URL | UrlTarget | Servable | Transport | StdioCommand | string;

// A host with a port, a host with a path (it has a dot or is this machine), or some other scheme.
const address =
  /^(?:(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:.]+\]):\d+(?:\/\S*)?|(?:localhost|[\w-]+(?:\.[\w-]+)+)\/\S*|[a-z][a-z\d+.-]*:\/\/\S*)$/i;

export async function toTransport(target: Target, options: HttpClientOptions = {}): Promise<Transport> {
  if (typeof target === "string") return fromText(target, options);
  if (target instanceof URL) return fromUrl(target, options);
  if (isServable(target)) return fromServer(target);
  if (typeof target === "object" && target !== null) {
    if ("open" in target) return target;
    if ("command" in target) return platform.openCommand(target);
    if ("url" in target) return fromUrlTarget(target, options);
  }
  throw new UsageError("connect takes a URL, a server value, a transport, or a command.");
}

async function fromText(text: string, options: HttpClientOptions): Promise<Transport> {
  if (/^(?:https?|wss?):\/\//i.test(text)) return fromUrl(text, options);
  const transport = await platform.openCommand(splitCommand(text));
  return looksLikeAddress(text) ? withUrlHint(transport) : transport;
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

/** True for a command that looks like a URL without its scheme. */
function looksLikeAddress(text: string): boolean {
  return address.test(text.trim());
}

/** Adds to the error of a missing program how a URL is written. */
function withUrlHint(transport: Transport): Transport {
  return {
    ...transport,
    open: (options) =>
      transport.open(options).catch((error: unknown) => {
        if (!(error instanceof ProcessError)) throw error;
        const hint = "If a URL is meant, begin it with http:// or https://.";
        throw new ProcessError(`${error.message} ${hint}`, error, { cause: error });
      }),
  };
}

import type { IncomingMessage, Server as NodeServer } from "node:http";
import type { Duplex } from "node:stream";
import type { HttpEndpoint } from "../../transports/http/server/endpoint.ts";
import { sendError } from "../../transports/http/server/error-response.ts";
import { toHttpSettings } from "../../transports/http/server/http-options.ts";
import { NodeRequest } from "../../transports/http/server/node/node-request.ts";
import { SocketReply } from "../../transports/http/server/node/socket-reply.ts";
import { WebSocketEndpoint, type WebSocketUpgrader } from "../../transports/websocket/endpoint.ts";
import type { ServeHttpOptions } from "./serve-http-options.ts";

/** Serves WebSockets at the endpoint of an HTTP server. */
export async function serveWebSockets(
  http: NodeServer,
  endpoint: HttpEndpoint,
  options: ServeHttpOptions & { readonly websocket: WebSocketUpgrader },
): Promise<WebSocketEndpoint> {
  const { maxBodyBytes, bodyMs, stallMs, keepAliveMs, sessions } = toHttpSettings(options);
  const { unfinished, unread } = endpoint.bodyLimits;
  const sockets = new WebSocketEndpoint(await endpoint.limitedService(), {
    upgrader: options.websocket,
    admit: (request, socket) => endpoint.admit(new NodeRequest(request, endpoint), new SocketReply(socket)),
    refuse: (socket, message, retryAfterSeconds) =>
      sendError(new SocketReply(socket), 503, message, {
        headers: { "retry-after": `${retryAfterSeconds}` },
      }),
    maxBodyBytes,
    stallMs,
    keepAliveMs,
    maxConnections: sessions.max,
    maxSessionBytes: sessions.maxBytes,
    unfinished: await unfinished.use((budget) => budget),
    unread: await unread.use((budget) => budget),
    messageMs: bodyMs,
    ping: options.ping,
    debug: options.debug,
  });
  http.on("upgrade", onUpgrade(http, sockets));
  return sockets;
}

type OnUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

function onUpgrade(http: NodeServer, sockets: WebSocketEndpoint): OnUpgrade {
  return (request, socket, head) => {
    const { method, headers } = request;
    if (method === "GET" && headers.upgrade?.toLowerCase() === "websocket") {
      return void sockets.open({ request, socket, head });
    }
    // Some clients offer HTTP/2 with every first request, and continue in HTTP/1.1 when it is not accepted.
    socket.unshift(Buffer.concat([withoutUpgrade(request), head]));
    http.emit("connection", socket);
  };
}

const dropped = new Set(["upgrade", "http2-settings"]);

/** The head of a request as it came, but without the request to upgrade the protocol. */
function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    const value = rawHeaders[at + 1] ?? "";
    if (dropped.has(name.toLowerCase())) continue;
    lines.push(`${name}: ${name.toLowerCase() === "connection" ? withoutOptions(value) : value}`);
  }
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}

function withoutOptions(connection: string): string {
  const options = connection.split(",").map((option) => option.trim());
  return options.filter((option) => !dropped.has(option.toLowerCase())).join(", ");
}

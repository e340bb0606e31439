import { once } from "node:events";
import { connect, type Socket } from "node:net";

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/logLevel": "debug",
};

/** Opens a stream of events by a request of 2026-07-28, and stops reading when the first event is there. */
export async function openStream(url: URL, method: string, params: object, name = ""): Promise<Socket> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } });
  const head = [
    `POST ${url.pathname} HTTP/1.1`,
    `Host: ${url.host}`,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    "MCP-Protocol-Version: 2026-07-28",
    `Mcp-Method: ${method}`,
    ...(name ? [`Mcp-Name: ${name}`] : []),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  const socket = connect(Number(url.port), url.hostname);
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  let text = "";
  while (!text.includes("data:")) {
    const [chunk] = await Promise.race([once(socket, "data"), once(socket, "close")]);
    if (!Buffer.isBuffer(chunk)) throw new Error(`No stream: ${text.slice(0, 300)}`);
    text += chunk.toString("latin1");
    if (!text.startsWith("HTTP/1.1 200")) throw new Error(`No stream: ${text.slice(0, 300)}`);
  }
  socket.pause();
  return socket;
}

/** Settles when the next event has come, and stops reading again. */
export function nextData(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once("data", () => {
      socket.pause();
      resolve();
    });
    socket.resume();
  });
}

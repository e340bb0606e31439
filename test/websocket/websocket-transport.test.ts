import { once } from "node:events";
import { type AddressInfo, createServer as createNetServer } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { connect, websocketTransport } from "../../src/client.ts";
import { failure, openClient } from "../support/open-client.ts";

type Answer = (text: string, socket: WebSocket) => void;

/** A server that the test plays. */
async function play(
  onText: Answer,
  options: { autoPong?: boolean } = {},
): Promise<{ url: string; server: WebSocketServer; sockets: WebSocket[] }> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", ...options });
  const sockets: WebSocket[] = [];
  server.on("connection", (socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("message", (data) => onText(String(data), socket));
  });
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.terminate();
    server.close();
  });
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, server, sockets };
}

const initializeOnly: Answer = (text, socket) => {
  const { id, method } = JSON.parse(text);
  if (id === undefined || method === "hang") return;
  const serverInfo = { name: "played", version: "1" };
  const result =
    method === "initialize" ? { protocolVersion: "2025-11-25", capabilities: {}, serverInfo } : {};
  socket.send(JSON.stringify({ jsonrpc: "2.0", id, result }));
};

const session = { revisions: ["2025-11-25"] } as const;

describe("connecting", () => {
  test("a URL is enough where the platform has WebSockets", async () => {
    vi.stubGlobal("WebSocket", WebSocket);
    onTestFinished(() => void vi.unstubAllGlobals());
    const { url, server } = await play(initializeOnly);
    const asked = once(server, "connection");
    const client = await openClient(url, { ...session });
    expect(client.server.info?.name).toBe("played");
    const [, request] = await asked;
    expect(request.headers["sec-websocket-protocol"]).toBe("mcp");
  });

  test("says what to pass where the platform has none", async () => {
    vi.stubGlobal("WebSocket", undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
    const refused = await failure(connect("ws://127.0.0.1:1/mcp"));
    expect(refused).toMatchObject({ code: "usage" });
    expect(refused.message).toContain("websocketTransport(url, { WebSocket })");
  });

  test("headers need a class that can send them", async () => {
    const refused = await failure(connect("ws://127.0.0.1:1", { headers: { authorization: "x" } }));
    expect(refused).toMatchObject({ code: "usage" });
    expect(refused.message).toContain("package ws");
  });

  test("headers and protocols are sent", async () => {
    const { url, server } = await play(initializeOnly);
    const asked = once(server, "connection");
    const transport = websocketTransport(url, {
      WebSocket,
      headers: async () => ({ authorization: "Bearer x" }),
      protocols: ["mcp", "other"],
    });
    await openClient(transport, { ...session });
    const [, { headers }] = await asked;
    expect(headers).toMatchObject({ authorization: "Bearer x", "sec-websocket-protocol": "mcp,other" });
  });

  test("where nobody listens is an error that says where", async () => {
    const refused = await failure(connect(websocketTransport("ws://127.0.0.1:1/mcp", { WebSocket })));
    expect(refused).toMatchObject({ code: "connection-closed" });
    expect(refused.message).toContain("ws://127.0.0.1:1/mcp");
    expect(refused.message).toContain("ECONNREFUSED");
  });

  test("does not wait for ever", async () => {
    const deaf = createNetServer().listen(0, "127.0.0.1");
    await once(deaf, "listening");
    onTestFinished(() => void deaf.close());
    const url = `ws://127.0.0.1:${(deaf.address() as AddressInfo).port}`;
    const refused = await failure(connect(websocketTransport(url, { WebSocket, connectMs: 50 })));
    expect(refused.message).toContain("50 ms");
  });

  test("can be cancelled", async () => {
    const deaf = createNetServer().listen(0, "127.0.0.1");
    await once(deaf, "listening");
    onTestFinished(() => void deaf.close());
    const url = `ws://127.0.0.1:${(deaf.address() as AddressInfo).port}`;
    const controller = new AbortController();
    const { signal } = controller;
    const connecting = failure(connect(websocketTransport(url, { WebSocket }), { signal }));
    await once(deaf, "connection");
    controller.abort();
    expect(await connecting).toMatchObject({ code: "cancelled" });
  });
});

describe("a server that misbehaves", () => {
  test("and speaks at once is heard from the first word", async () => {
    const { url, server } = await play(initializeOnly);
    server.on("connection", (socket) => socket.send('{"jsonrpc":"2.0","method":"notifications/hello"}'));
    const heard: string[] = [];
    const client = await openClient(websocketTransport(url, { WebSocket }), {
      ...session,
      onNotification: (method) => heard.push(method),
    });
    await client.ping();
    expect(heard).toEqual(["notifications/hello"]);
  });

  test("and sends a binary frame is reported", async () => {
    const { url, sockets } = await play(initializeOnly);
    const problems: Error[] = [];
    const client = await openClient(websocketTransport(url, { WebSocket }), {
      ...session,
      onProblem: (problem) => problems.push(problem),
    });
    sockets[0]?.send(Buffer.from("{}"));
    await client.ping();
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining("binary")]);
  });

  test("and sends more than a message may have loses the connection", async () => {
    const { url, sockets } = await play(initializeOnly);
    const transport = websocketTransport(url, { WebSocket, maxMessageBytes: 10_000 });
    const client = await openClient(transport, { ...session });
    const call = failure(client.request("hang", {}));
    sockets[0]?.send(`{"jsonrpc":"2.0","id":2,"result":{"text":"${"x".repeat(10_000)}"}}`);
    expect(await call).toMatchObject({ code: "connection-closed" });
  });

  test.each([
    ["closes", (socket: WebSocket) => socket.close(1011, "out of order")],
    ["drops", (socket: WebSocket) => socket.terminate()],
  ])("and %s the connection fails the calls under way", async (_, end) => {
    const { url, sockets } = await play(initializeOnly);
    const client = await openClient(websocketTransport(url, { WebSocket }), { ...session });
    const call = failure(client.request("hang", {}));
    await client.ping();
    end(sockets[0] as WebSocket);
    expect(await call).toMatchObject({ code: "connection-closed" });
    expect(await failure(client.ping())).toMatchObject({ code: "connection-closed" });
  });

  test("and gives no sign of life is left", async () => {
    const { url } = await play(initializeOnly, { autoPong: false });
    const transport = websocketTransport(url, { WebSocket, keepAliveMs: 300 });
    const client = await openClient(transport, { ...session });
    const call = await failure(client.request("hang", {}));
    expect(call.message).toContain("pings");
  });
});

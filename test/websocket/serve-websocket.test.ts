import { once } from "node:events";
import { connect as connectSocket, type Socket } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { websocketTransport } from "../../src/client.ts";
import { createServer, RpcError, tool } from "../../src/index.ts";
import { type HttpServerHandle, type ServeHttpOptions, serveHttp, websocketLimits } from "../../src/node.ts";
import { type BusyServer, createBusyServer } from "../support/busy-server.ts";
import { failure, openClient } from "../support/open-client.ts";

/** The time that an expired token is still good for, since clocks differ. */
const clockSkewSeconds = 5;
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

async function serve(
  options: Omit<ServeHttpOptions, "websocket"> = {},
  busy: BusyServer = createBusyServer(),
): Promise<BusyServer & { running: HttpServerHandle; url: string }> {
  const websocket = new WebSocketServer(websocketLimits(options.maxBodyBytes));
  const running = await serveHttp(busy.server, { ...options, websocket });
  onTestFinished(() => running.close(0));
  return { ...busy, running, url: running.url.replace("http:", "ws:") };
}

async function openSocket(url: string, options: { autoPong?: boolean } = {}): Promise<WebSocket> {
  const socket = new WebSocket(url, "mcp", options);
  onTestFinished(() => socket.terminate());
  socket.on("error", () => {});
  await once(socket, "open");
  return socket;
}

/** Sends a request as it is, and reads until the server closes the connection. */
async function sendRaw({ port }: HttpServerHandle, ...lines: string[]): Promise<string> {
  const socket = connectSocket(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write(lines.join("\r\n"));
  return readAll(socket);
}

const handshake = [
  "Connection: Upgrade",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
];

describe("the endpoint", () => {
  test.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const)(
    "serves %s beside HTTP",
    async (revision) => {
      const { url, running } = await serve();
      const client = await openClient(websocketTransport(url, { WebSocket }), { revisions: [revision] });
      expect((await client.tools.call("echo", { a: 1 })).content).toEqual([
        { type: "text", text: '{"a":1}' },
      ]);
      expect((await fetch(new URL("/health", running.url))).status).toBe(200);
    },
  );

  test("agrees on the subprotocol of MCP, and does without", async () => {
    const { url } = await serve();
    expect((await openSocket(url)).protocol).toBe("mcp");
    const plain = new WebSocket(url);
    onTestFinished(() => plain.terminate());
    await once(plain, "open");
    expect(plain.protocol).toBe("");
  });

  test("is the only place for WebSockets", async () => {
    const { url } = await serve();
    const [error] = await once(new WebSocket(url.replace("/mcp", "/other")), "error");
    expect(error.message).toContain("404");
  });

  test("knows who calls", async () => {
    const whoAmI = tool("who-am-i", {}, (_args, ctx) => ctx.principal?.subject ?? "nobody");
    const server = createServer({ name: "s", version: "1", tools: [whoAmI], log: () => {} });
    const { url } = await serve(
      {
        identify: (request) => {
          const subject = request.header("authorization");
          if (subject === undefined) throw new RpcError(-32001, "Say who you are.");
          return { issuer: "test", subject };
        },
      },
      { ...createBusyServer(), server },
    );
    const transport = websocketTransport(url, { WebSocket, headers: { authorization: "alice" } });
    const client = await openClient(transport);
    expect((await client.tools.call("who-am-i", {})).content).toEqual([{ type: "text", text: "alice" }]);
    const refused = await failure(openClient(websocketTransport(url, { WebSocket })));
    expect(refused).toMatchObject({ code: "connection-closed" });
  });

  test("answers a refusal in JSON-RPC and closes", async () => {
    const { running } = await serve();
    const answer = await sendRaw(
      running,
      "GET /mcp HTTP/1.1",
      "Host: evil.example",
      "Upgrade: websocket",
      ...handshake,
      "\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(JSON.parse(answer.split("\r\n\r\n")[1] as string)).toMatchObject({
      jsonrpc: "2.0",
      error: { message: expect.stringContaining("allowedHosts") },
    });
  });

  test("lets in no more than it may", async () => {
    const { url } = await serve({ sessions: { max: 1 } });
    await openSocket(url);
    const [error] = await once(new WebSocket(url), "error");
    expect(error.message).toContain("503");
  });

  test("takes an offer of HTTP/2 for what it is", async () => {
    const { running, calls } = await serve();
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const answer = await sendRaw(
      running,
      "POST /mcp HTTP/1.1",
      `Host: 127.0.0.1:${running.port}`,
      "Connection: Upgrade, HTTP2-Settings, close",
      "Upgrade: h2c",
      "HTTP2-Settings: AAMAAABkAAQAAP__",
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      "",
      body,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain("initialize");
    expect(calls).toEqual([]);
  });
});

describe("the WebSocketServer that is given", () => {
  test.each([
    ["has a port of its own", { ...websocketLimits(), noServer: false, port: 0, host: "127.0.0.1" }],
    ["takes what ws takes by default", { noServer: true }],
    ["takes messages of any size", { ...websocketLimits(), maxPayload: 0 }],
    ["takes any number of fragments", { ...websocketLimits(), maxFragments: 0 }],
    ["takes more than bodies may have", { ...websocketLimits(), maxPayload: 5_000_000 }],
  ])("is refused when it %s", async (_, limits) => {
    const websocket = new WebSocketServer(limits);
    onTestFinished(() => websocket.close());
    const refused = await failure(serveHttp(createBusyServer().server, { websocket }));
    expect(refused).toMatchObject({ code: "usage" });
    expect(refused.message).toContain("websocketLimits");
  });
});

describe("limits", () => {
  test("a message over the limit closes the connection with 1009", async () => {
    const { url, calls } = await serve({ maxBodyBytes: 10_000 });
    const socket = await openSocket(url);
    socket.send(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"text":"${"x".repeat(10_000)}"}}`);
    expect(await closeOf(socket)).toBe(1009);
    expect(calls).toEqual([]);
  });

  test("a binary frame closes the connection with 1003", async () => {
    const { url } = await serve();
    const socket = await openSocket(url);
    socket.send(Buffer.from(ping));
    expect(await closeOf(socket)).toBe(1003);
  });

  test("text that is not UTF-8 closes the connection with 1007", async () => {
    const { url } = await serve();
    const socket = await openSocket(url);
    socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect(await closeOf(socket)).toBe(1007);
  });

  test("what is no message is answered, and the connection goes on", async () => {
    const { url } = await serve();
    const socket = await openSocket(url);
    socket.send("hello");
    const [first] = await once(socket, "message");
    expect(JSON.parse(String(first))).toMatchObject({ error: { code: -32700 } });
    socket.send(ping);
    const [second] = await once(socket, "message");
    expect(JSON.parse(String(second))).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });

  test("a client that answers no pings is cut, one that does stays", async () => {
    const { url } = await serve({ keepAliveMs: 500 });
    const healthy = await openSocket(url);
    const frozen = await openSocket(url, { autoPong: false });
    expect(await closeOf(frozen)).toBe(1006);
    healthy.send(ping);
    await once(healthy, "message");
  });

  test("a client that reads nothing is cut, and its neighbour does not notice", async () => {
    const { url } = await serve({ stallMs: 200 });
    const neighbour = await openClient(websocketTransport(url, { WebSocket }));
    const stuck = await openSocket(url);
    const closed = closeOf(stuck);
    const { _socket: connection } = stuck as unknown as { _socket: Socket };
    connection.pause();
    for (let id = 0; id < 20; id++) stuck.send(callOf(id, 1_000_000));
    await neighbour.tools.call("echo", {});
    // The end of a connection is seen only by who reads or writes it.
    const writing = setInterval(() => connection.write(Buffer.alloc(0x10000)), 50);
    onTestFinished(() => clearInterval(writing));
    await closed;
    await neighbour.tools.call("echo", {});
  });

  test("a slow client gets all of it, in order", async () => {
    const { url } = await serve();
    const socket = await openSocket(url);
    const { _socket: connection } = socket as unknown as { _socket: Socket };
    connection.pause();
    for (let id = 0; id < 20; id++) socket.send(callOf(id, 500_000));
    const ids: number[] = [];
    const all = new Promise<void>((resolve) => {
      socket.on("message", (data) => {
        ids.push(JSON.parse(String(data)).id);
        if (ids.length === 20) resolve();
      });
    });
    setImmediate(() => connection.resume());
    await all;
    expect(ids).toEqual(Array.from({ length: 20 }, (_, id) => id));
  });
});

describe("the end of a connection", () => {
  test("a client that is gone aborts its calls", async () => {
    const { url, hanging, aborted } = await serve();
    const socket = await openSocket(url);
    socket.send(callOf(1, 0, "hang"));
    await hanging;
    socket.terminate();
    await aborted;
  });

  test("close lets calls finish, takes no more clients, and says that the server goes away", async () => {
    const { url, running, hanging, release } = await serve();
    const socket = await openSocket(url);
    const closed = closeOf(socket);
    const client = await openClient(websocketTransport(url, { WebSocket }));
    const call = client.tools.call("hang", {});
    await hanging;
    const closing = running.close();
    await expect(openClient(websocketTransport(url, { WebSocket }))).rejects.toMatchObject({
      code: "connection-closed",
    });
    release();
    expect((await call).content).toEqual([{ type: "text", text: "released" }]);
    await closing;
    expect(await closed).toBe(1001);
  });

  test("once the token has expired no new call is served, and running ones finish", async () => {
    const exp = (Date.now() + 2_000) / 1_000 - clockSkewSeconds;
    const { url, calls, hanging, release } = await serve({
      identify: () => ({ issuer: "test", subject: "alice", claims: { exp } }),
    });
    const socket = await openSocket(url);
    const answers = new Map<number, object>();
    const answered = (id: number) =>
      new Promise<object | undefined>((resolve) => {
        socket.on("message", (data) => {
          const answer = JSON.parse(String(data));
          answers.set(answer.id, answer);
          if (answer.id === id) resolve(answer);
        });
        void closeOf(socket).then(() => resolve(answers.get(id)));
      });
    const hangs = answered(1);
    const listens = answered(2);
    const late = answered(3);
    socket.send(callOf(1, 0, "hang"));
    await hanging;
    socket.send(listenOf(2));
    // A stream ends with the token.
    await listens;
    socket.send(callOf(3, 1));
    expect(await late).toMatchObject({ error: { message: expect.stringContaining("expired") } });
    expect(calls).toEqual(["hang"]);
    release();
    expect(await hangs).toMatchObject({ result: { content: [{ text: "released" }] } });
    expect(await closeOf(socket)).toBe(1001);
  });

  test("close gives up on calls that do not end, and on clients that do not agree", async () => {
    const { url, running, hanging, aborted } = await serve();
    const socket = await openSocket(url);
    socket.send(callOf(1, 0, "hang"));
    await hanging;
    const { _socket: connection } = socket as unknown as { _socket: Socket };
    connection.pause();
    await running.close(0);
    await aborted;
  });
});

function closeOf(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => socket.once("close", resolve));
}

const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

function callOf(id: number, size: number, name = "large"): string {
  const params = { name, arguments: { size }, _meta };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
}

function listenOf(id: number): string {
  const params = { notifications: { toolsListChanged: true }, _meta };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "subscriptions/listen", params });
}

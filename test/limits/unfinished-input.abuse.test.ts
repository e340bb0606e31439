import { once } from "node:events";
import { serveHttp, websocketLimits } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { entries, open } from "../support/http/entries.ts";
import { createFixture } from "../support/http/fixture.ts";
import { RawSocket, toResponses } from "../support/http/raw-socket.ts";
import { callNewest } from "../support/http/stateless-request.ts";

const MiB = 1024 ** 2;
const attacker = "203.0.113.66";

/** The head of a POST, and the beginning of its body. */
function beginning(address: string, sent: number, declared: number | "chunked"): string {
  const length = declared === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${declared}`;
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n`;
  const body = `{"a":"${"x".repeat(sent - 6)}`;
  const part = declared === "chunked" ? `${sent.toString(16)}\r\n${body}\r\n` : body;
  return `${head}Accept: application/json\r\nContent-Type: application/json\r\n${length}\r\n\r\n${part}`;
}

/** The first outcomes of some of the promises. */
function someOf<T>(count: number, promises: readonly Promise<T>[]): Promise<T[]> {
  return new Promise((resolve) => {
    const settled: T[] = [];
    for (const promise of promises)
      void promise.then((value) => {
        if (settled.push(value) === count) resolve([...settled]);
      });
  });
}

describe.each(entries)("B5: bodies that stop halfway, $name", (entry) => {
  it.each([
    ["with a length", 3 * MiB],
    ["in chunks", "chunked" as const],
  ])(
    "of one address, %s, hold no more than there is room for, and none of another's",
    async (_, declared) => {
      const { origin, url } = await open(entry, createFixture().server, {
        trustProxy: 1,
        maxUnfinishedBytes: 4 * MiB,
      });
      const port = Number(new URL(origin).port);
      const begin = (address: string, sent: number) => {
        const socket = new RawSocket(port);
        onTestFinished(() => socket.destroy());
        return socket.write(beginning(address, sent, declared));
      };
      const honest = begin("203.0.113.1", MiB);
      const stalled = Array.from({ length: 8 }, () => begin(attacker, MiB));
      const refusals = stalled.map((socket) => socket.until((text) => text.includes("\r\n\r\n{")));
      for (const refusal of await someOf(5, refusals)) {
        const [response] = toResponses(refusal);
        expect([response?.status, response?.headers["retry-after"]]).toEqual([503, "5"]);
      }
      expect(honest.text).toBe("");
      expect((await callNewest(url, "echo", { text: "z".repeat(2 * MiB) })).status).toBe(200);
      expect(honest.text).toBe("");
    },
  );
});

/** A frame of a client, with a mask that changes nothing. */
function toFrame(kind: "text" | "binary", payload: string, { fin = true } = {}): Buffer {
  const head = Buffer.alloc(14);
  head[0] = (kind === "text" ? 1 : 2) | (fin ? 0x80 : 0);
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, Buffer.from(payload)]);
}

describe("B5: WebSocket messages that never end", () => {
  async function start(options: { readonly maxUnfinishedBytes?: number; readonly keepAliveMs?: number }) {
    const websocket = new WebSocketServer(websocketLimits());
    const { server } = createFixture();
    const running = await serveHttp(server, { websocket, trustProxy: 1, bodyMs: 1_000, ...options });
    onTestFinished(() => running.close(0));
    return running;
  }
  /** Opens a WebSocket that writes what it is told, and answers no frame of the server. */
  async function connectRaw(port: number, address: string): Promise<RawSocket> {
    const socket = new RawSocket(port);
    onTestFinished(() => socket.destroy());
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13";
    const key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==";
    socket.write(
      `GET /mcp HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n${upgrade}\r\n${key}\r\n\r\n`,
    );
    expect(await socket.until((text) => text.includes("\r\n\r\n"))).toContain(" 101 ");
    return socket;
  }
  async function serve(options: { readonly maxUnfinishedBytes?: number; readonly keepAliveMs?: number }) {
    return connectTo(await start(options));
  }
  function connectTo(running: { readonly url: string }) {
    return async (address: string) => {
      const headers = { "x-forwarded-for": address };
      const socket = new WebSocket(running.url.replace("http", "ws"), "mcp", { headers });
      onTestFinished(() => socket.terminate());
      await once(socket, "open");
      return socket;
    };
  }
  const ask = async (socket: WebSocket) => {
    socket.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    const [data] = await once(socket, "message");
    return JSON.parse(String(data)).id;
  };

  it("cost the largest holder its connections, and nobody else's", async () => {
    const connect = await serve({ maxUnfinishedBytes: 4 * MiB });
    const honest = await connect("203.0.113.1");
    const half = "x".repeat(0.9 * MiB);
    honest.send(half, { fin: false });
    const flood = await Promise.all(Array.from({ length: 6 }, () => connect(attacker)));
    const closed = flood.map((socket) => once(socket, "close"));
    for (const socket of flood) socket.send(half, { fin: false });
    await someOf(3, closed);
    expect(honest.readyState).toBe(WebSocket.OPEN);
    const other = await connect("203.0.113.2");
    expect(await ask(other)).toBe(1);
  });

  it("count although each is small", async () => {
    const connect = await serve({ maxUnfinishedBytes: 128 * 1024 });
    const flood = await Promise.all(Array.from({ length: 4 }, () => connect(attacker)));
    const closed = flood.map((socket) => once(socket, "close"));
    for (const socket of flood) socket.send("x".repeat(50 * 1024), { fin: false });
    await someOf(2, closed);
    expect(await ask(await connect("203.0.113.2"))).toBe(1);
  });

  it("end their connection after the time for a body, and pings inside do not help", async () => {
    const connect = await serve({ keepAliveMs: 200 });
    const stalled = await connect(attacker);
    const idle = await connect("203.0.113.1");
    stalled.on("pong", () => stalled.ping("x".repeat(100)));
    stalled.send("x".repeat(1_000), { fin: false });
    stalled.ping();
    await once(stalled, "close");
    idle.ping();
    await once(idle, "pong");
    expect(await ask(idle)).toBe(1);
  });

  it("are counted no more once their connection has closed, though they began after it was told to", async () => {
    const running = await start({ maxUnfinishedBytes: 4 * MiB });
    const closing = await Promise.all(Array.from({ length: 3 }, () => connectRaw(running.port, attacker)));
    for (const socket of closing) {
      socket.write(toFrame("binary", "x"));
      socket.write(toFrame("text", "x".repeat(1.2 * MiB), { fin: false }));
    }
    await Promise.all(closing.map((socket) => socket.end()));
    const socket = await connectTo(running)(attacker);
    const text = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping", params: { x: "y".repeat(MiB) } });
    socket.send(text.slice(0, -9), { fin: false });
    socket.send(text.slice(-9));
    const [data] = await Promise.race([once(socket, "message"), once(socket, "close")]);
    expect(JSON.parse(String(data))).toMatchObject({ id: 7 });
  });

  const ping = toFrame("text", '{"jsonrpc":"2.0","id":1,"method":"ping"}');

  it("have a deadline behind a whole message, too", async () => {
    const { port } = await start({ keepAliveMs: 200 });
    const socket = await connectRaw(port, attacker);
    const pong = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
    socket.socket.on("data", (text: string) => void (text.startsWith("\x89") && socket.write(pong)));
    socket.write(Buffer.concat([ping, toFrame("text", "x".repeat(1_000), { fin: false })]));
    expect(await socket.end()).toContain('"id":1');
  });

  it("take room behind a whole message, and from their first byte on", async () => {
    const { port } = await start({ maxUnfinishedBytes: MiB });
    const flood = await Promise.all(Array.from({ length: 24 }, () => connectRaw(port, attacker)));
    const closed = flood.map((socket) => socket.end());
    const part = toFrame("text", "x".repeat(60_000), { fin: false });
    for (const socket of flood) socket.write(Buffer.concat([ping, part]));
    await someOf(6, closed);
    expect(flood.filter((socket) => !socket.ended).length).toBeGreaterThanOrEqual(16);
  });

  it("are counted no more once they end", async () => {
    const connect = await serve({ maxUnfinishedBytes: MiB });
    const socket = await connect("203.0.113.1");
    for (let n = 0; n < 4; n++) {
      const text = JSON.stringify({
        jsonrpc: "2.0",
        id: n,
        method: "ping",
        params: { x: "y".repeat(MiB / 2) },
      });
      socket.send(text.slice(0, 300_000), { fin: false });
      socket.send(text.slice(300_000), { fin: true });
      const [data] = await once(socket, "message");
      expect(JSON.parse(String(data)).id).toBe(n);
    }
  });
});

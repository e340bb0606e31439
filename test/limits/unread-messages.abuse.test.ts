import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createServer } from "allspeak";
import { serveHttp, serveSocket, websocketLimits } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { toNewest } from "../support/http/stateless-request.ts";
import { Queue } from "../support/queue.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const MiB = 1024 ** 2;
/** More than the operating system takes for a reader that takes nothing. */
const large = "x".repeat(14 * MiB);
const attacker = "203.0.113.66";

/** A connection that can stop to read. */
interface Reader {
  pause(): void;
  send(text: string): void;
  /** The size of the next message; 0 if the connection ends before. */
  read(): Promise<number>;
}

type Open = (address?: string) => Promise<Reader>;

const started = new Queue<string>();

function createLarge() {
  const server = createServer({ name: "s", version: "1" });
  server.tool("large", {}, () => {
    started.push("large");
    return large;
  });
  return server;
}

async function overWebSocket(maxUnfinishedBytes: number): Promise<Open> {
  const websocket = new WebSocketServer(websocketLimits());
  const running = await serveHttp(createLarge(), { websocket, trustProxy: 1, maxUnfinishedBytes });
  onTestFinished(() => running.close(0));
  return async (address = attacker) => {
    const headers = { "x-forwarded-for": address };
    const socket = new WebSocket(running.url.replace("http", "ws"), "mcp", { headers, maxPayload: 0 });
    socket.on("error", () => {});
    onTestFinished(() => socket.terminate());
    await once(socket, "open");
    const read = () => {
      socket.resume();
      return new Promise<number>((resolve) => {
        socket.once("message", (data: Buffer) => resolve(data.length));
        socket.once("close", () => resolve(0));
        if (socket.readyState === WebSocket.CLOSED) resolve(0);
      });
    };
    return { pause: () => socket.pause(), send: (text) => socket.send(text), read };
  };
}

async function overSocket(maxUnfinishedBytes: number): Promise<Open> {
  const path = join(createTemporaryFolder(), "s");
  const running = await serveSocket(createLarge(), { path, maxUnfinishedBytes });
  onTestFinished(() => running.close(0));
  return async () => {
    const socket = connect({ path });
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    return {
      pause: () => socket.pause(),
      send: (text) => socket.write(`${text}\n`),
      read: () => readLine(socket),
    };
  };
}

function readLine(socket: Socket): Promise<number> {
  let length = 0;
  socket.resume();
  return new Promise((resolve) => {
    socket.on("data", (chunk) => {
      length += chunk.length;
      if (chunk.at(-1) === 0x0a) resolve(length);
    });
    socket.once("close", () => resolve(0));
    if (socket.closed) resolve(0);
  });
}

/** Calls for an answer that is not read. */
async function callUnread(open: Open, address?: string): Promise<Reader> {
  const reader = await open(address);
  reader.pause();
  reader.send(JSON.stringify(toNewest("tools/call", { name: "large" }).body));
  await started.next();
  return reader;
}

async function ping(reader: Reader): Promise<void> {
  reader.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  expect(await reader.read()).toBeGreaterThan(0);
}

/** The readers that get their answers now, where others were cut. */
async function countAnswered(readers: readonly Reader[]): Promise<number> {
  const lengths = await Promise.all(readers.map((reader) => reader.read()));
  return lengths.filter((length) => length > large.length).length;
}

describe.each([
  ["WebSockets", overWebSocket],
  ["sockets", overSocket],
])("messages that nobody reads over %s", (_, serve) => {
  it("hold no more than there is room for in all", async () => {
    const open = await serve(24 * MiB);
    const readers: Reader[] = [];
    for (let calls = 0; calls < 6; calls++) readers.push(await callUnread(open));
    await ping(await open("203.0.113.2"));
    expect(await countAnswered(readers)).toBe(3);
  });

  it("give their room back once they are read", async () => {
    const open = await serve(24 * MiB);
    for (let calls = 0; calls < 6; calls++) expect(await countAnswered([await callUnread(open)])).toBe(1);
  });

  it("may be larger than the room for all while no others wait", async () => {
    const open = await serve(4 * MiB);
    expect(await countAnswered([await callUnread(open)])).toBe(1);
  });
});

it("messages that nobody reads over WebSockets cost another address nothing", async () => {
  const open = await overWebSocket(24 * MiB);
  const readers: Reader[] = [];
  for (let calls = 0; calls < 3; calls++) readers.push(await callUnread(open));
  const neighbour = await callUnread(open, "203.0.113.1");
  await ping(await open("203.0.113.2"));
  expect(await countAnswered([neighbour])).toBe(1);
  expect(await countAnswered(readers)).toBe(2);
});

import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { WebSocket } from "ws";
import { formatNumber, type Report } from "../report/table.ts";
import { ServerProcess } from "../servers/server-process.ts";

const attacker = "203.0.113.66";
const honest = "203.0.113.1";
const MiB = 1024 ** 2;

/** One flood, and what its attacker sends. */
interface Flood {
  readonly name: string;
  /** Returns what is to be closed in the end. */
  readonly send: (server: ServerProcess) => Promise<readonly { destroy(): void }[]>;
}

const floods: readonly Flood[] = [
  { name: "300 times initialize with 4 MB", send: (server) => initializeAll(server, 300, 4_000_000) },
  { name: "12,000 times initialize", send: (server) => initializeAll(server, 12_000, 0) },
  { name: "200 bodies of 4 MB that stop halfway", send: stallBodies },
  { name: "100 WebSocket messages of 4 MB that stop halfway", send: stallMessages },
  { name: "one body of 4 MB that breaks its schema", send: breakSchema },
  { name: "one body of 4 MB that fits its schema", send: fitSchema },
  { name: "12,000 short tasks", send: startTasks },
];

/** What a server holds after floods from one address, and whether a neighbour is still served. */
export async function benchFloods(): Promise<Report> {
  const rows = [];
  for (const flood of floods) rows.push(await measure(flood));
  const header = [
    "flood",
    "held after, MB",
    "longest block, ms",
    "neighbour's session",
    "new session",
    "new task",
  ];
  return { tables: [{ title: "floods from one address", header, rows }], figures: [] };
}

async function measure({ name, send }: Flood): Promise<readonly string[]> {
  const server = await ServerProcess.start("http/allspeak-floods", ["--expose-gc"]);
  const session = await initialize(server, honest);
  const before = await server.memory();
  const probe = new Probe(server);
  const sent = await send(server);
  const block = await probe.stop();
  const after = await server.memory();
  const ping = await post(server, honest, { jsonrpc: "2.0", id: 1, method: "ping" }, session);
  const held = after.heapUsed + after.external - before.heapUsed - before.external;
  const row = [
    name,
    formatNumber(Math.round(Math.max(0, held / 1e6))),
    formatNumber(Math.round(block)),
    ping.status === 200 ? "lives" : `gone (${ping.status})`,
    (await initialize(server, honest)) ? "opened" : "refused",
    await startTask(server, honest),
  ];
  for (const one of sent) one.destroy();
  await server.stop();
  return row;
}

/** Asks for the server's health all the time; the longest answer shows how long it was blocked. */
class Probe {
  readonly #server: ServerProcess;
  readonly #ended: Promise<void>;
  #isOver = false;
  #longestMs = 0;

  constructor(server: ServerProcess) {
    this.#server = server;
    this.#ended = this.#run();
  }

  async stop(): Promise<number> {
    this.#isOver = true;
    await this.#ended;
    return this.#longestMs;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const startedAt = performance.now();
      await (await fetch(new URL("/health", this.#server.url))).text();
      this.#longestMs = Math.max(this.#longestMs, performance.now() - startedAt);
    }
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

interface Posted {
  readonly status: number;
  readonly session: string | undefined;
  readonly text: string;
}

function post(server: ServerProcess, address: string, body: object, session?: string): Promise<Posted> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "x-forwarded-for": address,
    ...(session !== undefined && { "mcp-session-id": session }),
    ...toNewestHeaders(body),
  };
  return new Promise((resolve) => {
    const outgoing = request(server.url, { method: "POST", headers, agent }, async (incoming) => {
      let text = "";
      for await (const chunk of incoming.setEncoding("utf8")) text += chunk;
      const id = incoming.headers["mcp-session-id"];
      resolve({ status: incoming.statusCode ?? 0, session: id === undefined ? undefined : String(id), text });
    });
    // A connection that the server cut is an answer, too.
    outgoing.on("error", () => resolve({ status: 0, session: undefined, text: "" }));
    outgoing.end(JSON.stringify(body));
  });
}

interface NewestBody {
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly _meta?: object };
}

function toNewestHeaders({ method, params }: NewestBody): Record<string, string> {
  if (params?._meta === undefined) return {};
  return { "mcp-protocol-version": "2026-07-28", "mcp-method": `${method}`, "mcp-name": `${params.name}` };
}

async function initialize(server: ServerProcess, address: string, bytes = 0): Promise<string | undefined> {
  const clientInfo = { name: "flood", version: "1", description: "x".repeat(bytes) };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  return (await post(server, address, { jsonrpc: "2.0", id: 0, method: "initialize", params })).session;
}

async function initializeAll(server: ServerProcess, times: number, bytes: number) {
  await repeat(times, () => initialize(server, attacker, bytes));
  return [];
}

async function stallBodies({ url }: ServerProcess): Promise<Socket[]> {
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${attacker}\r\nContent-Type: application/json\r\nAccept: application/json\r\nContent-Length: ${4 * MiB}\r\n\r\n`;
  const part = Buffer.alloc(4 * MiB - 1, "x");
  const sockets: Socket[] = [];
  for (let at = 0; at < 200; at++) {
    const socket = connect(Number(url.port), "127.0.0.1");
    socket.on("error", () => {}).resume();
    await once(socket, "connect");
    socket.write(head);
    await new Promise((resolve) => socket.write(part, resolve));
    sockets.push(socket);
  }
  return sockets;
}

async function stallMessages({ url }: ServerProcess): Promise<{ destroy(): void }[]> {
  const part = "x".repeat(4 * MiB - 1024);
  const sockets: WebSocket[] = [];
  for (let at = 0; at < 100; at++) {
    const socket = new WebSocket(String(url).replace("http", "ws"), "mcp", {
      headers: { "x-forwarded-for": attacker },
    });
    socket.on("error", () => {});
    await once(socket, "open");
    await new Promise((resolve) => socket.send(part, { fin: false }, resolve));
    sockets.push(socket);
  }
  return sockets.map((socket) => ({ destroy: () => socket.terminate() }));
}

async function breakSchema(server: ServerProcess) {
  const items = Array.from({ length: 1_300_000 }, () => 0);
  await post(server, attacker, toNewestCall("add", { items }));
  return [];
}

async function fitSchema(server: ServerProcess) {
  const items = Array.from({ length: 140_000 }, (_, id) => ({ id, name: "abc" }));
  await post(server, attacker, toNewestCall("add", { items }));
  return [];
}

async function startTasks(server: ServerProcess) {
  await repeat(12_000, () => startTask(server, attacker));
  return [];
}

async function startTask(server: ServerProcess, address: string): Promise<string> {
  const { text } = await post(server, address, toNewestCall("short", {}));
  return text.includes("taskId") ? "started" : "refused";
}

function toNewestCall(name: string, args: object): object {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "flood", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
  };
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, _meta } };
}

/** Runs sixteen at a time. */
async function repeat(times: number, run: () => Promise<unknown>): Promise<void> {
  let left = times;
  const worker = async () => {
    while (left-- > 0) await run();
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

import { writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { createServer, type Server, tool } from "allspeak";
import { createFetchHandler } from "allspeak/http";
import { nextData, openStream } from "../load/open-stream.ts";
import { measureInRounds, median } from "../report/rounds.ts";
import { type Figure, formatNumber, type Report, type Table } from "../report/table.ts";
import { ServerProcess } from "../servers/server-process.ts";
import { type Curve, plot } from "./plot.ts";

type Handler = ReturnType<typeof createFetchHandler>;

/** Something that grows, and a call whose cost should not. */
interface Growth {
  readonly name: string;
  readonly sizes: readonly number[];
  prepare(size: number): Promise<Load>;
}

/** The work to measure, and the number of calls in it. */
interface Load {
  readonly work: () => Promise<unknown>;
  readonly calls: number;
}

const powers = [1, 10, 100, 1_000, 10_000];
const rounds = 15;
const roundMs = 60;
/** Where a call costs this many times what it costs at the smallest size, its curve bends. */
const mostGrowth = 1.5;
const mostBlockedMs = 20;
const svg = new URL("../../../bench/growth.svg", import.meta.url);

const info = { name: "growth", version: "1.0.0" };
const input = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;
const host = "http://localhost/mcp";
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

const growths: readonly Growth[] = [
  {
    name: "tools",
    sizes: powers,
    prepare: async (size) => callOf(serverOf(size), "t0"),
  },
  {
    name: "tools behind a mount",
    sizes: powers,
    prepare: async (size) => {
      const server = createServer({ ...info });
      server.mount("inner", serverOf(size));
      return callOf(server, "inner_t0");
    },
  },
  {
    name: "tools, page two of the list",
    sizes: [200, 1_000, 10_000],
    prepare: async (size) => {
      const handler = createFetchHandler(serverOf(size, 100));
      const first = await read(handler, post("tools/list", {}));
      const cursor = /"nextCursor":"([^"]+)"/.exec(first)?.[1];
      return { work: () => read(handler, post("tools/list", { cursor })), calls: 1 };
    },
  },
  {
    name: "sessions",
    sizes: powers.slice(0, 4).concat(9_000),
    prepare: async (size) => {
      const handler = createFetchHandler(serverOf(1));
      let session = "";
      for (let at = 0; at < size; at++) session = await openSession(handler);
      return { work: () => read(handler, inSession(session, "tools/call", callParams("t0"))), calls: 1 };
    },
  },
  {
    name: "calls at once",
    sizes: powers.slice(0, 4),
    prepare: async (size) => {
      const later = () => new Promise<string>((resolve) => setImmediate(() => resolve("done")));
      const handler = createFetchHandler(createServer({ ...info, tools: [tool("t0", { input }, later)] }));
      const work = () =>
        Promise.all(Array.from({ length: size }, () => read(handler, post("tools/call", callParams("t0")))));
      return { work, calls: size };
    },
  },
  {
    name: "kilobytes echoed, cost of each",
    sizes: [100, 1_000, 10_000],
    prepare: async (size) => {
      const echo = tool("t0", { input }, ({ text }) => String(text));
      const server = createServer({ ...info, tools: [echo] });
      const handler = createFetchHandler(server, { maxBodyBytes: 64 * 1024 ** 2 });
      const params = callParams("t0", "x".repeat(size * 1_000));
      return { work: () => read(handler, post("tools/call", params)), calls: size };
    },
  },
];

/** The cost of a call while something grows, and of one update while its subscribers do. */
export async function benchGrowth(): Promise<Report> {
  const curves: Curve[] = [];
  for (const growth of growths) curves.push(await measure(growth));
  const updates = [];
  for (const subscribers of [100, 1_000, 10_000]) updates.push(await measureUpdate(subscribers));
  writeFileSync(svg, plot("CPU per call, times the smallest size", curves));
  return {
    tables: [toGrowthTable(curves), toUpdateTable(updates)],
    figures: [...curves.map(toGrowthFigure), toBlockedFigure(updates)],
  };
}

/** The median CPU time of a call at each size. The sizes take turns, so that none is measured while the code is new. */
async function measure({ name, sizes, prepare }: Growth): Promise<Curve> {
  const prepared = [];
  for (const size of sizes) prepared.push(await prepare(size));
  const costs = await measureInRounds(
    rounds,
    prepared.map((load) => () => costOf(load)),
  );
  return { name, points: sizes.map((size, at) => ({ size, cost: median(costs[at] ?? []) })) };
}

/** The CPU time of one call, in microseconds. */
async function costOf({ work, calls }: Load): Promise<number> {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  let runs = 0;
  do {
    await work();
    runs++;
  } while (performance.now() - startedAt < roundMs);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (runs * calls);
}

interface Update {
  readonly subscribers: number;
  readonly cpuMs: number;
  /** The longest time without a turn of the event loop. */
  readonly blockedMs: number;
}

/** One update of a resource that is sent to all streams which listen to it. */
async function measureUpdate(subscribers: number): Promise<Update> {
  const server = await ServerProcess.start("http/allspeak-growth");
  const sockets: Socket[] = [];
  try {
    const listen = { notifications: { resourceSubscriptions: ["note:///one"] } };
    const together = 100;
    while (sockets.length < subscribers)
      sockets.push(
        ...(await Promise.all(
          Array.from({ length: together }, () => openStream(server.url, "subscriptions/listen", listen)),
        )),
      );
    const outcomes: Update[] = [];
    for (let round = 0; round < 5; round++) {
      const told = Promise.all(sockets.map(nextData));
      const { cpuMs, blockedMs } = (await server.ask("update", told)) as Omit<Update, "subscribers">;
      outcomes.push({ subscribers, cpuMs, blockedMs });
    }
    return {
      subscribers,
      cpuMs: median(outcomes.map(({ cpuMs }) => cpuMs)),
      blockedMs: median(outcomes.map(({ blockedMs }) => blockedMs)),
    };
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.stop();
  }
}

function serverOf(tools: number, pageSize = 1_000): Server<unknown> {
  const all = Array.from({ length: tools }, (_, at) => tool(`t${at}`, { input }, () => "done"));
  return createServer({ ...info, tools: all, pageSize });
}

function callOf(server: Server<unknown>, name: string): Load {
  const handler = createFetchHandler(server);
  return { work: () => read(handler, post("tools/call", callParams(name))), calls: 1 };
}

function callParams(name: string, text = "hello"): object {
  return { name, arguments: { text } };
}

function post(method: string, params: object): Request {
  const { name } = params as { readonly name?: string };
  const headers = {
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": method,
    ...(name !== undefined && { "Mcp-Name": name }),
  };
  return toRequest({ id: 1, method, params: { ...params, _meta: meta } }, headers);
}

function inSession(session: string, method: string, params: object): Request {
  return toRequest({ id: 2, method, params }, { "Mcp-Session-Id": session });
}

async function openSession(handler: Handler): Promise<string> {
  const clientInfo = { name: "bench", version: "1.0.0" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const response = await handler(toRequest({ id: 1, method: "initialize", params }, {}));
  await response.text();
  const session = response.headers.get("mcp-session-id") ?? "";
  const confirmed = await handler(
    toRequest({ method: "notifications/initialized" }, { "Mcp-Session-Id": session }),
  );
  if (confirmed.status !== 202) throw new Error(`The session was not opened: ${confirmed.status}`);
  return session;
}

function toRequest(message: object, headers: Record<string, string>): Request {
  return new Request(host, {
    method: "POST",
    headers: {
      Host: "localhost",
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
}

async function read(handler: Handler, request: Request): Promise<string> {
  const response = await handler(request);
  const text = await response.text();
  if (response.status !== 200 || text.includes('"error"') || text.includes('"isError":true'))
    throw new Error(`Unexpected answer ${response.status}: ${text.slice(0, 300)}`);
  return text;
}

function toGrowthTable(curves: readonly Curve[]): Table {
  return {
    title: "CPU per call, us, in one process",
    header: ["what grows", "from", "to", "at the smallest", "at the largest", "times"],
    rows: curves.map(({ name, points }) => {
      const [first, last] = [points[0], points.at(-1)];
      return [
        name,
        formatNumber(first?.size ?? 0),
        formatNumber(last?.size ?? 0),
        (first?.cost ?? 0).toFixed(1),
        (last?.cost ?? 0).toFixed(1),
        growthOf(points).toFixed(2),
      ];
    }),
  };
}

function toUpdateTable(updates: readonly Update[]): Table {
  return {
    title: "one update to all subscribers, 2026-07-28",
    header: ["subscribers", "CPU, ms", "each, us", "longest without a turn, ms"],
    rows: updates.map(({ subscribers, cpuMs, blockedMs }) => [
      formatNumber(subscribers),
      cpuMs.toFixed(1),
      ((cpuMs * 1_000) / subscribers).toFixed(1),
      blockedMs.toFixed(1),
    ]),
  };
}

function growthOf(points: Curve["points"]): number {
  return (points.at(-1)?.cost ?? Number.NaN) / (points[0]?.cost ?? Number.NaN);
}

function toGrowthFigure({ name, points }: Curve): Figure {
  return {
    what: `${name}: growth of a call`,
    measured: growthOf(points),
    bound: "at most",
    limit: mostGrowth,
  };
}

function toBlockedFigure(updates: readonly Update[]): Figure {
  return {
    what: "one update to 10,000 subscribers, longest without a turn, ms",
    measured: updates.at(-1)?.blockedMs ?? Number.NaN,
    bound: "at most",
    limit: mostBlockedMs,
  };
}

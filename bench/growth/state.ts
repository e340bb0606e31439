import { createServer, tool } from "allspeak";
import { createFetchHandler, type State } from "allspeak/http";
import { measureInRounds, median } from "../report/rounds.ts";
import { type Figure, formatNumber, type Report, type Table } from "../report/table.ts";
import { backends } from "./backends.ts";

const rounds = 15;
const roundMs = 100;
/** Calls at once, as from so many connections. */
const together = 32;
/** The share of memory that a state should have, by CPU. */
const leastShares: Readonly<Record<string, number>> = { Redis: 0.5 };
const sessionCounts = [100, 1_000, 10_000, 100_000];
const toolCounts = [1, 100, 1_000];
/** Sessions that are stored at once: more would wait too long for a connection. */
const batch = 100;
const mostGrowth = 1.5;
/** As of sessions by default. A look renews a session that has lost a tenth of it, which is a write and not measured. */
const ttlMs = 1_800_000;

interface Cost {
  readonly cpuUs: number;
  readonly perSecond: number;
}

/** The cost of a call in a session with each state, while there are more and more tools, and sessions to find it among. */
export async function benchState(): Promise<Report> {
  const opened = [];
  for (const { name, open } of backends) {
    const backend = await open();
    if (backend === undefined) console.error(`${name} is left out: it is not on this machine.`);
    else opened.push({ name, ...backend });
  }
  try {
    const calls = await measureCalls(opened.map(({ state }) => ({ state, tools: 1 })));
    const withTools: Growth[] = [];
    const withSessions: Growth[] = [];
    for (const { name, state } of opened) {
      withTools.push({ name, costs: await measureTools(state) });
      withSessions.push({ name, costs: await measureSessions(state) });
    }
    const names = opened.map(({ name }) => name);
    return {
      tables: [
        toCallTable(names, calls),
        toGrowthTable("call in a session, us, with so many tools", toolCounts, withTools),
        toGrowthTable("look for a session, us, with so many in the store", sessionCounts, withSessions),
      ],
      figures: [
        ...toCallFigures(names, calls),
        ...withTools.map((growth) => toGrowthFigure("a call with 1,000 tools", growth)),
        ...withSessions.slice(1).map((growth) => toGrowthFigure("a look with 100,000 sessions", growth)),
      ],
    };
  } finally {
    for (const { close } of opened) await close();
  }
}

interface ServerSize {
  readonly state: State;
  readonly tools: number;
}

/** The costs of calls of sessions at several servers, round by round. */
async function measureCalls(sizes: readonly ServerSize[]): Promise<Cost[][]> {
  const servers = await Promise.all(sizes.map(openServer));
  try {
    return await measureInRounds(
      rounds,
      servers.map(({ call }) => costOf(call)),
    );
  } finally {
    for (const { close } of servers) await close();
  }
}

/** The processor time of one call, at servers with so many tools. */
async function measureTools(state: State): Promise<number[]> {
  const calls = await measureCalls(toolCounts.map((tools) => ({ state, tools })));
  return calls.map((costs) => median(costs.map(({ cpuUs }) => cpuUs)));
}

interface OpenServer {
  /** A call of a session, from the request to the whole answer. */
  call(): Promise<unknown>;
  close(): Promise<void>;
}

async function openServer({ state, tools }: ServerSize): Promise<OpenServer> {
  const names = Array.from({ length: tools }, (_, at) => `echo-${at}`);
  // Servers of other names share the store, and nothing in it.
  const server = createServer({
    name: `bench-${tools}`,
    version: "1.0.0",
    tools: names.map((name) => tool(name, { input: { type: "object" } }, () => "hello")),
  });
  const handler = createFetchHandler(server, { state, limits: false });
  const post = async (message: object, session?: string) => {
    const response = await handler(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: {
          Host: "localhost",
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          ...(session !== undefined && { "Mcp-Session-Id": session }),
        },
        body: JSON.stringify({ jsonrpc: "2.0", ...message }),
      }),
    );
    return { response, text: await response.text() };
  };
  const clientInfo = { name: "bench", version: "1.0.0" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const { response } = await post({ id: 1, method: "initialize", params });
  const session = response.headers.get("mcp-session-id") ?? "";
  await post({ method: "notifications/initialized" }, session);
  let lastId = 1;
  const call = async () => {
    const params = { name: names[lastId % tools], arguments: {} };
    const { text } = await post({ id: ++lastId, method: "tools/call", params }, session);
    if (!text.includes("hello")) throw new Error(`Unexpected answer: ${text.slice(0, 300)}`);
  };
  return { call, close: () => handler.close(0) };
}

/** Measures work that is done by many at once, in one round. */
function costOf(work: () => Promise<unknown>): () => Promise<Cost> {
  return async () => {
    const startedAt = performance.now();
    const before = process.cpuUsage();
    let done = 0;
    const goOn = async () => {
      while (performance.now() - startedAt < roundMs) {
        await work();
        done++;
      }
    };
    await Promise.all(Array.from({ length: together }, goOn));
    const { user, system } = process.cpuUsage(before);
    return {
      cpuUs: (user + system) / done,
      perSecond: (done * 1_000) / (performance.now() - startedAt),
    };
  };
}

/** The processor time of one look for a session, with so many in the store. */
async function measureSessions(state: State): Promise<number[]> {
  const costs: number[] = [];
  let stored = 0;
  for (const count of sessionCounts) {
    while (stored < count) {
      const some = Array.from({ length: Math.min(batch, count - stored) }, () => `s${stored++}`);
      await Promise.all(some.map((id) => state.sessions.create(toSession(id), ttlMs)));
    }
    let at = 0;
    const look = costOf(async () => {
      at += 7_919;
      return state.sessions.touch(`s${at % count}`, ttlMs);
    });
    const [measured = []] = await measureInRounds(rounds, [look]);
    costs.push(median(measured.map(({ cpuUs }) => cpuUs)));
  }
  for (let from = 0; from < stored; from += batch)
    await Promise.all(Array.from({ length: batch }, (_, at) => state.sessions.remove(`s${from + at}`)));
  return costs;
}

function toSession(id: string) {
  const client = { info: { name: "bench", version: "1.0.0" }, capabilities: {} };
  const empty = { ready: true, logLevel: undefined, lists: [], subscriptions: [], read: "0" } as const;
  return { id, owner: "bench", revision: "2025-11-25", client, ...empty };
}

/** The median of the shares that a state has of memory, round by round. */
function shareOf(calls: readonly (readonly Cost[])[], at: number, toSpeed: (cost: Cost) => number): number {
  const [memory = []] = calls;
  return median((calls[at] ?? []).map((cost, round) => toSpeed(cost) / toSpeed(memory[round] ?? cost)));
}

const inCpu = ({ cpuUs }: Cost) => 1 / cpuUs;
const inCalls = ({ perSecond }: Cost) => perSecond;

function toCallTable(names: readonly string[], calls: readonly (readonly Cost[])[]): Table {
  return {
    title: `tools/call in a session, 2025-11-25, ${together} at once, in one process`,
    header: ["state", "CPU per call, us", "share of memory", "calls/s", "share of memory"],
    rows: names.map((name, at) => [
      name,
      median((calls[at] ?? []).map(({ cpuUs }) => cpuUs)).toFixed(1),
      shareOf(calls, at, inCpu).toFixed(2),
      formatNumber(median((calls[at] ?? []).map(({ perSecond }) => perSecond))),
      shareOf(calls, at, inCalls).toFixed(2),
    ]),
  };
}

function toCallFigures(names: readonly string[], calls: readonly (readonly Cost[])[]): Figure[] {
  return names.flatMap((name, at) => {
    const limit = leastShares[name];
    if (limit === undefined) return [];
    const what = `tools/call in a session, ${name}, CPU, share of memory`;
    return [{ what, measured: shareOf(calls, at, inCpu), bound: "at least", limit }];
  });
}

interface Growth {
  readonly name: string;
  readonly costs: readonly number[];
}

function toGrowthTable(what: string, counts: readonly number[], growths: readonly Growth[]): Table {
  return {
    title: `CPU per ${what}`,
    header: ["state", ...counts.map(formatNumber)],
    rows: growths.map(({ name, costs }) => [name, ...costs.map((cost) => cost.toFixed(1))]),
  };
}

function toGrowthFigure(what: string, { name, costs }: Growth): Figure {
  const measured = (costs.at(-1) ?? Number.NaN) / (costs[0] ?? Number.NaN);
  return { what: `${name}: growth of ${what}`, measured, bound: "at most", limit: mostGrowth };
}

import type { Socket } from "node:net";
import { openHttp } from "../load/open-http.ts";
import { nextData, openStream } from "../load/open-stream.ts";
import { type Wire, wires } from "../load/wire.ts";
import { hasWrk, type Shot, shoot } from "../load/wrk.ts";
import { measureInRounds, median, medianRatio } from "../report/rounds.ts";
import { type Figure, formatNumber, type Report, type Table } from "../report/table.ts";
import { ServerProcess } from "../servers/server-process.ts";
import { redisUrl } from "../servers/shared/shared-state.ts";
import { listens } from "./backends.ts";

/** Processes that serve together. */
interface Site {
  readonly name: string;
  /** A file in `servers`. */
  readonly server: string;
  readonly processes: number;
}

/** Sites that are measured by the first of them. */
const callSites: readonly (readonly Site[])[] = [
  [
    { name: "bare, 1 process", server: "http/bare", processes: 1 },
    { name: "bare, node:cluster with 2 workers", server: "http/bare-workers", processes: 1 },
  ],
  [
    { name: "1 process, memory", server: "http/allspeak", processes: 1 },
    { name: "workers: 2, memory of the primary", server: "http/allspeak-workers", processes: 1 },
    { name: "1 node, Redis", server: "http/allspeak-node", processes: 1 },
    { name: "2 nodes, Redis", server: "http/allspeak-node", processes: 2 },
    { name: "3 nodes, Redis", server: "http/allspeak-node", processes: 3 },
  ],
];

/** What a call does. With an empty tool the sender of the calls needs as much of the processor as the server. */
interface Task {
  readonly name: string;
  /** The bytes that it hashes. */
  readonly bytes: number;
}

const tasks: readonly Task[] = [
  { name: "an empty tool", bytes: 0 },
  { name: "a tool that works for about 200 us", bytes: 340 * 1024 },
];

const updateSites: readonly Site[] = [
  { name: "1 node", server: "http/allspeak-growth", processes: 1 },
  { name: "3 nodes", server: "http/allspeak-growth", processes: 3 },
];

const connections = 30;
const rounds = 5;
const seconds = 1;
const warmUpRounds = 2;
const subscribers = 10_000;
const openedTogether = 100;
const updateRounds = 5;
/** The gain of two workers over one process, with a tool that works. */
const leastGain = 1.7;
/** The calls of two workers, as a share of those of bare node:cluster: a gain would count how fast one process is, too. */
const leastShareOfBare = 0.9;
/** Threads that send calls, where one site gets all of them; several nodes have a sender each. */
const senderThreads = 2;

/** Calls per second through one and several processes, and one update to 10,000 subscribers of one and three nodes. */
export async function benchNodes(): Promise<Report> {
  if (!hasWrk() || !(await listens(redisUrl))) {
    console.log("\nnodes is skipped: it needs wrk (apt-get install wrk), and Redis at its usual port.");
    return { tables: [], figures: [] };
  }
  process.env.ALLSPEAK_BENCH_PREFIX = `bench-${process.pid}`;
  const tables: Table[] = [];
  const figures: Figure[] = [];
  for (const task of tasks) {
    process.env.ALLSPEAK_BENCH_WORK_BYTES = `${task.bytes}`;
    for (const wire of wires) {
      console.error(`nodes: calls of ${task.name}, ${wire.revision}`);
      const loads = await measureCalls(wire);
      tables.push(toCallTable(task, wire, loads));
      figures.push(...toWorkersFigures(task, wire, loads));
    }
  }
  delete process.env.ALLSPEAK_BENCH_WORK_BYTES;
  const updates = [];
  for (const site of updateSites) {
    console.error(`nodes: one update to ${formatNumber(subscribers)} subscribers, ${site.name}`);
    updates.push({ name: site.name, ...(await measureUpdate(site)) });
  }
  return { tables: [...tables, toUpdateTable(updates)], figures };
}

interface Load {
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** The loads of each site, round by round. */
async function measureCalls(wire: Wire): Promise<Load[][]> {
  const servers: ServerProcess[] = [];
  try {
    const runs = [];
    for (const site of callSites.flat()) {
      const own = await start(site);
      servers.push(...own);
      const shots = await toShots(own, wire);
      for (let round = 0; round < warmUpRounds; round++) await load(shots);
      runs.push(() => load(shots));
    }
    return await measureInRounds(rounds, runs);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

async function start({ server, processes }: Site): Promise<ServerProcess[]> {
  const started: ServerProcess[] = [];
  while (started.length < processes) started.push(await ServerProcess.start(server));
  return started;
}

/** The same call, of a session that was opened at the first node, to each of them. */
async function toShots(servers: readonly ServerProcess[], wire: Wire): Promise<Shot[]> {
  const [first] = servers;
  if (first === undefined) throw new Error("A site has no process.");
  const shot = await openHttp(first.url, wire);
  return servers.map(({ url }) => ({ ...shot, url }));
}

/** Sends calls to all nodes at once, as a balancer would that costs nothing. */
async function load(shots: readonly Shot[]): Promise<Load> {
  const each = connections / shots.length;
  const threads = shots.length === 1 ? senderThreads : 1;
  const volleys = await Promise.all(shots.map((shot) => shoot(shot, each, seconds, threads)));
  return {
    perSecond: volleys.reduce((sum, { perSecond }) => sum + perSecond, 0),
    p99Ms: Math.max(...volleys.map(({ p99Ms }) => p99Ms)),
  };
}

interface Update {
  readonly elapsedMs: number;
  readonly cpuMs: number;
}

/** One update at the first node, until the streams of all nodes have it. */
async function measureUpdate(site: Site): Promise<Update> {
  const servers = await start(site);
  const sockets: Socket[] = [];
  try {
    const listen = { notifications: { resourceSubscriptions: ["note:///one"] } };
    const urls = servers.map(({ url }) => url);
    const open = (_: unknown, at: number) =>
      openStream(urls[at % urls.length] as URL, "subscriptions/listen", listen);
    while (sockets.length < subscribers)
      sockets.push(...(await Promise.all(Array.from({ length: openedTogether }, open))));
    const updates: Update[] = [];
    for (let round = 0; round <= updateRounds; round++) updates.push(await updateOnce(servers, sockets));
    // The first one warms up.
    const measured = updates.slice(1);
    return {
      elapsedMs: median(measured.map(({ elapsedMs }) => elapsedMs)),
      cpuMs: median(measured.map(({ cpuMs }) => cpuMs)),
    };
  } finally {
    for (const socket of sockets) socket.destroy();
    await Promise.all(servers.map((server) => server.stop()));
  }
}

async function updateOnce(servers: readonly ServerProcess[], sockets: readonly Socket[]): Promise<Update> {
  const cpuOf = () => servers.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  const cpuBefore = cpuOf();
  const startedAt = performance.now();
  const told = Promise.all(sockets.map(nextData)).then(() => performance.now() - startedAt);
  await servers[0]?.ask("update", told);
  return { elapsedMs: await told, cpuMs: cpuOf() - cpuBefore };
}

type Loads = readonly (readonly Load[])[];

/** The median of how often the rate of a site is that of the first of its group. */
function gainOf(loads: Loads, at: number): number {
  let first = 0;
  for (const group of callSites) {
    if (at < first + group.length) break;
    first += group.length;
  }
  return medianRatio(ratesOf(loads, at), ratesOf(loads, first));
}

function ratesOf(loads: Loads, at: number): number[] {
  return (loads[at] ?? []).map(({ perSecond }) => perSecond);
}

function toCallTable({ name: task }: Task, { revision }: Wire, loads: Loads): Table {
  return {
    title: `HTTP tools/call, ${revision}, ${task}, ${connections} connections`,
    header: ["served by", "calls/s", "times one process", "p99, ms"],
    rows: callSites
      .flat()
      .map(({ name }, at) => [
        name,
        formatNumber(median(ratesOf(loads, at))),
        gainOf(loads, at).toFixed(2),
        median((loads[at] ?? []).map(({ p99Ms }) => p99Ms)).toFixed(2),
      ]),
  };
}

function toWorkersFigures({ name: task, bytes }: Task, { revision }: Wire, loads: Loads): Figure[] {
  const at = (name: string) => callSites.flat().findIndex(({ server }) => server === name);
  const workers = at("http/allspeak-workers");
  const what = `HTTP tools/call, ${revision}, ${task}, workers: 2`;
  const share: Figure = {
    what: `${what}, share of bare node:cluster`,
    measured: medianRatio(ratesOf(loads, workers), ratesOf(loads, at("http/bare-workers"))),
    bound: "at least",
    limit: leastShareOfBare,
  };
  if (bytes === 0) return [share];
  return [
    {
      what: `${what}, times one process`,
      measured: gainOf(loads, workers),
      bound: "at least",
      limit: leastGain,
    },
    share,
  ];
}

function toUpdateTable(updates: readonly (Update & { readonly name: string })[]): Table {
  return {
    title: `one update to ${formatNumber(subscribers)} subscribers through Redis, 2026-07-28`,
    header: ["served by", "until all have it, ms", "CPU of all nodes, ms"],
    rows: updates.map(({ name, elapsedMs, cpuMs }) => [name, elapsedMs.toFixed(0), cpuMs.toFixed(0)]),
  };
}

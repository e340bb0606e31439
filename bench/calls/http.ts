import { openHttp } from "../load/open-http.ts";
import { type Wire, wires } from "../load/wire.ts";
import { hasWrk, type Shot, shoot, type Volley } from "../load/wrk.ts";
import { measureInRounds, median, medianRatio } from "../report/rounds.ts";
import { type Figure, formatNumber, type Report, type Table } from "../report/table.ts";
import { fetchHandlers, type HttpContender, http, httpVariants } from "../servers/contender.ts";
import { ServerProcess } from "../servers/server-process.ts";

const connections = 32;
const rounds = 7;
const seconds = 1;
/** The compiler of the engine is done with a server after so many calls, or after so long. */
const warmUpCalls = 60_000;
const warmUpRounds = 8;
/** The share of bare that each of ours should have, by CPU. */
const leastShares: Readonly<Record<string, number>> = {
  allspeak: 0.85,
  "allspeak, async handler": 0.8,
  "allspeak, bearer token": 0.6,
};

/** Calls per second of one echo tool over HTTP, and what each costs the processor. */
export async function benchHttp(): Promise<Report> {
  if (!hasWrk()) {
    console.log("\nhttp is skipped: wrk, which sends the requests, is not installed (apt-get install wrk).");
    return { tables: [], figures: [] };
  }
  const tables: Table[] = [];
  const figures: Figure[] = [];
  for (const comparison of comparisons) {
    const compared = await compare(comparison);
    tables.push(compared.table);
    figures.push(...compared.figures);
  }
  return { tables, figures };
}

interface Comparison {
  readonly title: string;
  readonly wire: Wire;
  /** The first is what the others are measured by. */
  readonly contenders: readonly HttpContender[];
  readonly hasPeers?: boolean;
}

const comparisons: readonly Comparison[] = [
  ...wires.map((wire) => ({ title: "HTTP tools/call", wire, contenders: http, hasPeers: true })),
  ...wires.map((wire) => ({ title: "HTTP tools/call, what costs more", wire, contenders: httpVariants })),
  ...wires.map((wire) => ({ title: "fetch handler, tools/call", wire, contenders: fetchHandlers })),
].filter(({ wire, contenders }) => contenders.some(({ speaks }) => speaks.includes(wire.revision)));

/** One second of calls to one server. */
export interface Load extends Volley {
  readonly cpuMicros: number;
}

async function compare(comparison: Comparison): Promise<{ table: Table; figures: Figure[] }> {
  const { wire, contenders } = comparison;
  const present = contenders.filter(({ speaks }) => speaks.includes(wire.revision));
  const names = present.map(({ name }) => name);
  return toReport(comparison, names, await measureLoads(wire, present));
}

/** The loads of each server, round by round. */
export async function measureLoads(wire: Wire, present: readonly HttpContender[]): Promise<Load[][]> {
  const servers: ServerProcess[] = [];
  try {
    for (const { server } of present) servers.push(await ServerProcess.start(server));
    const shots = await Promise.all(
      servers.map(({ url }, at) => openHttp(url, wire, present[at]?.sessionRevision)),
    );
    for (const shot of shots) await warmUp(shot);
    const runs = servers.map((server, at) => () => load(server, shots[at] as Shot));
    return await measureInRounds(rounds, runs);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

async function warmUp(shot: Shot): Promise<void> {
  let calls = 0;
  for (let round = 0; round < warmUpRounds && calls < warmUpCalls; round++) {
    calls += (await shoot(shot, connections, seconds)).requests;
  }
}

async function load(server: ServerProcess, shot: Shot): Promise<Load> {
  const before = server.cpuMs;
  const volley = await shoot(shot, connections, seconds);
  return { ...volley, cpuMicros: ((server.cpuMs - before) * 1000) / volley.requests };
}

function toReport(
  { title, wire: { revision }, hasPeers = false }: Comparison,
  names: readonly string[],
  loads: readonly Load[][],
) {
  const all = (at: number, key: keyof Load) => (loads[at] ?? []).map((load) => load[key]);
  const cpuShare = (at: number) => medianRatio(all(0, "cpuMicros"), all(at, "cpuMicros"));
  const rateShare = (at: number) => medianRatio(all(at, "perSecond"), all(0, "perSecond"));
  const us = names.indexOf("allspeak");
  const p99 = names.map((_, at) => median(all(at, "p99Ms")));
  const what = `${title}, ${revision}`;
  const table: Table = {
    title: `${what}, ${connections} connections`,
    header: [
      "server",
      "CPU per call, us",
      "share of first",
      "calls/s",
      "share of first",
      "p50, ms",
      "p99, ms",
    ],
    rows: names.map((name, at) => [
      name,
      median(all(at, "cpuMicros")).toFixed(1),
      cpuShare(at).toFixed(2),
      formatNumber(median(all(at, "perSecond"))),
      rateShare(at).toFixed(2),
      median(all(at, "p50Ms")).toFixed(2),
      (p99[at] ?? 0).toFixed(2),
    ]),
  };
  const figures: Figure[] = names.flatMap((name, at) => {
    const limit = leastShares[name];
    if (limit === undefined) return [];
    const of = names[0] === "bare" ? "bare" : "Hono";
    return [
      { what: `${what}, ${name}, CPU, share of ${of}`, measured: cpuShare(at), bound: "at least", limit },
    ];
  });
  if (hasPeers)
    figures.push({
      what: `${what}, p99, times the quickest peer`,
      measured: (p99[us] ?? 0) / Math.min(...p99.filter((_, at) => at > us)),
      bound: "at most",
      limit: 1,
    });
  return { table, figures };
}

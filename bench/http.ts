import { http as contenders } from "./contender.ts";
import { openHttp } from "./open-http.ts";
import { measureInRounds, median, medianRatio } from "./rounds.ts";
import { ServerProcess } from "./server-process.ts";
import { type Figure, formatNumber, type Report, type Table } from "./table.ts";
import { type Wire, wires } from "./wire.ts";
import { hasWrk, type Shot, shoot, type Volley } from "./wrk.ts";

const connections = 32;
const rounds = 7;
const seconds = 1;
/** The compiler of the engine is done with a server after so many calls, or after so long. */
const warmUpCalls = 60_000;
const warmUpRounds = 8;
const leastShare: Readonly<Record<string, number>> = { "2025-11-25": 0.6, "2026-07-28": 0.7 };

/** Calls per second of one echo tool over HTTP, and what each costs the processor. */
export async function benchHttp(): Promise<Report> {
  if (!hasWrk()) {
    console.log("\nhttp is skipped: wrk, which sends the requests, is not installed (apt-get install wrk).");
    return { tables: [], figures: [] };
  }
  const tables: Table[] = [];
  const figures: Figure[] = [];
  for (const wire of wires) {
    const compared = await compare(wire);
    tables.push(compared.table);
    figures.push(...compared.figures);
  }
  return { tables, figures };
}

/** One second of calls to one server. */
interface Load extends Volley {
  readonly cpuMicros: number;
}

async function compare(wire: Wire): Promise<{ table: Table; figures: Figure[] }> {
  const present = contenders.filter(({ speaks }) => speaks.includes(wire.revision));
  const servers: ServerProcess[] = [];
  try {
    for (const { server } of present) servers.push(await ServerProcess.start(server));
    const shots = await Promise.all(
      servers.map(({ url }, at) => openHttp(url, wire, present[at]?.sessionRevision)),
    );
    for (const shot of shots) await warmUp(shot);
    const runs = servers.map((server, at) => () => load(server, shots[at] as Shot));
    const loads = await measureInRounds(rounds, runs);
    return toReport(
      wire,
      present.map(({ name }) => name),
      loads,
    );
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

function toReport({ revision }: Wire, names: readonly string[], loads: readonly Load[][]) {
  const all = (at: number, key: keyof Load) => (loads[at] ?? []).map((load) => load[key]);
  const cpuShare = (at: number) => medianRatio(all(0, "cpuMicros"), all(at, "cpuMicros"));
  const rateShare = (at: number) => medianRatio(all(at, "perSecond"), all(0, "perSecond"));
  const us = names.indexOf("allspeak");
  const p99 = names.map((_, at) => median(all(at, "p99Ms")));
  const quickestPeer = Math.min(...p99.filter((_, at) => at > us));
  const table: Table = {
    title: `HTTP tools/call, ${revision}, ${connections} connections`,
    header: ["server", "CPU per call, us", "share of bare", "calls/s", "share of bare", "p50, ms", "p99, ms"],
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
  const what = `HTTP tools/call, ${revision}`;
  const figures: Figure[] = [
    {
      what: `${what}, CPU, share of bare`,
      measured: cpuShare(us),
      bound: "at least",
      limit: leastShare[revision] ?? 0,
    },
    {
      what: `${what}, p99, times the quickest peer`,
      measured: (p99[us] ?? 0) / quickestPeer,
      bound: "at most",
      limit: 1,
    },
  ];
  return { table, figures };
}

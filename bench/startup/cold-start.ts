import { spawn } from "node:child_process";
import { once } from "node:events";
import { openHttp } from "../load/open-http.ts";
import { type Wire, wires } from "../load/wire.ts";
import { measureInRounds, median, medianRatio } from "../report/rounds.ts";
import type { Figure, Report, Table } from "../report/table.ts";
import { type Contender, contenders, http, serverPath } from "../servers/contender.ts";
import { ServerProcess } from "../servers/server-process.ts";

const rounds = 15;

/** What is started, what it is compared with, and how long it may take at most. */
interface Starter extends Contender {
  readonly base?: string;
  readonly mostTimesBase?: number;
}

/** The servers of one transport, and one start of them. */
interface Starting {
  readonly transport: string;
  readonly starters: readonly Starter[];
  readonly start: (server: string, wire: Wire) => Promise<Start>;
}

interface Start {
  readonly answeredMs: number;
  readonly endedMs: number;
}

const everywhere = ["2025-11-25", "2026-07-28"];

const startings: readonly Starting[] = [
  {
    transport: "stdio",
    starters: contenders
      .filter(({ server }) => server !== "stdio/bare-joined")
      .flatMap((contender): readonly Starter[] => {
        if (contender.server === "stdio/bare")
          return [contender, { name: "bare, zod", server: "stdio/bare-zod", speaks: everywhere }];
        if (contender.server !== "stdio/allspeak") return [contender];
        return [
          { ...contender, name: "allspeak, JSON Schema", server: "stdio/allspeak-plain", mostTimesBase: 1.3 },
          { ...contender, name: "allspeak, zod", base: "bare, zod", mostTimesBase: 1.15 },
        ];
      }),
    start: startStdio,
  },
  {
    transport: "HTTP",
    starters: http.flatMap((contender): readonly Starter[] =>
      contender.server === "http/allspeak"
        ? [
            {
              ...contender,
              name: "allspeak, JSON Schema",
              server: "http/allspeak-plain",
              mostTimesBase: 1.35,
            },
            { ...contender, name: "allspeak, zod" },
          ]
        : [contender],
    ),
    start: startHttp,
  },
];

/** From the start of a process to its first answer, and to its end once its input is closed. */
export async function benchColdStart(): Promise<Report> {
  const tables: Table[] = [];
  const figures: Figure[] = [];
  for (const starting of startings)
    for (const wire of wires) {
      const compared = await compare(starting, wire);
      tables.push(compared.table);
      figures.push(...compared.figures);
    }
  return { tables, figures };
}

async function compare(
  { transport, starters, start }: Starting,
  wire: Wire,
): Promise<{ table: Table; figures: readonly Figure[] }> {
  const present = starters.filter(({ speaks }) => speaks.includes(wire.revision));
  const starts = await measureInRounds(
    rounds,
    present.map(
      ({ server }) =>
        () =>
          start(server, wire),
    ),
  );
  const answered = (at: number) => starts[at]?.map(({ answeredMs }) => answeredMs) ?? [];
  const ended = (at: number) => starts[at]?.map(({ endedMs }) => endedMs) ?? [];
  const times = (at: number, base: number) => medianRatio(answered(at), answered(base));
  const title = `${transport} cold start, ${wire.revision}`;
  const table = {
    title,
    header: ["server", "first answer, ms", "times bare", "ended, ms"],
    rows: present.map(({ name }, at) => [
      name,
      median(answered(at)).toFixed(1),
      times(at, 0).toFixed(2),
      median(ended(at)).toFixed(1),
    ]),
  };
  const figures = present.flatMap(({ name, base = "bare", mostTimesBase }, at): readonly Figure[] => {
    if (mostTimesBase === undefined) return [];
    const measured = times(
      at,
      present.findIndex((other) => other.name === base),
    );
    return [{ what: `${title}, ${name}, times ${base}`, measured, bound: "at most", limit: mostTimesBase }];
  });
  return { table, figures };
}

async function startStdio(server: string, { opening }: Wire): Promise<Start> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [serverPath(server)], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  child.stdin.write(`${opening}\n`);
  const [answer] = await Promise.race([once(child.stdout, "data"), exited]);
  const answeredMs = performance.now() - startedAt;
  if (!String(answer).includes('"result"')) throw new Error(`${server} did not answer: ${answer}`);
  child.stdin.end();
  await exited;
  return { answeredMs, endedMs: performance.now() - startedAt };
}

/** The first answer is that to a call, after the handshake where the revision has one. */
async function startHttp(server: string, wire: Wire): Promise<Start> {
  const startedAt = performance.now();
  const started = await ServerProcess.start(server);
  const { sessionRevision } = http.find((contender) => contender.server === server) ?? {};
  await openHttp(started.url, wire, sessionRevision);
  const answeredMs = performance.now() - startedAt;
  await started.stop();
  return { answeredMs, endedMs: performance.now() - startedAt };
}

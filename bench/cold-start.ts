import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Contender, contenders, serverPath } from "./contender.ts";
import { measureInRounds, median, medianRatio } from "./rounds.ts";
import type { Figure, Report, Table } from "./table.ts";
import { type Wire, wires } from "./wire.ts";

const rounds = 15;
const mostTimesBare = 1.4;

/** How each is started at its leanest: ours needs no schema library, the others can't do without. */
const starters: readonly Contender[] = contenders
  .filter(({ server }) => server !== "bare-joined")
  .flatMap((contender) =>
    contender.server === "allspeak"
      ? [
          { ...contender, name: "allspeak, JSON Schema", server: "allspeak-plain" },
          { ...contender, name: "allspeak, zod" },
        ]
      : [contender],
  );

/** From the start of a process to its first answer, and to its end once its input is closed. */
export async function benchColdStart(): Promise<Report> {
  const tables: Table[] = [];
  const figures: Figure[] = [];
  for (const wire of wires) {
    const present = starters.filter(({ speaks }) => speaks.includes(wire.revision));
    const runs = present.map(
      ({ server }) =>
        () =>
          start(server, wire),
    );
    const starts = await measureInRounds(rounds, runs);
    const answered = (at: number) => starts[at]?.map(({ answeredMs }) => answeredMs) ?? [];
    const ended = (at: number) => starts[at]?.map(({ endedMs }) => endedMs) ?? [];
    const times = (at: number) => medianRatio(answered(at), answered(0));
    tables.push({
      title: `stdio cold start, ${wire.revision}`,
      header: ["server", "first answer, ms", "times bare", "ended, ms"],
      rows: present.map(({ name }, at) => [
        name,
        median(answered(at)).toFixed(1),
        times(at).toFixed(2),
        median(ended(at)).toFixed(1),
      ]),
    });
    figures.push({
      what: `stdio cold start, ${wire.revision}, times bare`,
      measured: times(present.findIndex(({ server }) => server === "allspeak-plain")),
      bound: "at most",
      limit: mostTimesBare,
    });
  }
  return { tables, figures };
}

interface Start {
  readonly answeredMs: number;
  readonly endedMs: number;
}

async function start(server: string, { opening }: Wire): Promise<Start> {
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

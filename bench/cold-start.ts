import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Contender, contenders, serverPath } from "./contender.ts";
import { measureInRounds, median, medianRatio } from "./rounds.ts";
import type { Figure, Report, Table } from "./table.ts";
import { type Wire, wires } from "./wire.ts";

const rounds = 15;
const mostTimesBare = 1.4;

/** How each is started at its leanest: ours needs no schema library, the others can't do without. */
const starters: readonly Contender[] = contenders.flatMap((contender) =>
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
    const ends: number[][] = present.map(() => []);
    const answers = await measureInRounds(
      rounds,
      present.map(({ server }, at) => async () => {
        const { answeredMs, endedMs } = await start(server, wire);
        ends[at]?.push(endedMs);
        return answeredMs;
      }),
    );
    const times = (at: number) => medianRatio(answers[at] ?? [], answers[0] ?? []);
    tables.push({
      title: `stdio cold start, ${wire.revision}`,
      header: ["server", "first answer, ms", "times bare", "ended, ms"],
      rows: present.map(({ name }, at) => [
        name,
        median(answers[at] ?? []).toFixed(1),
        times(at).toFixed(2),
        median(ends[at] ?? []).toFixed(1),
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

async function start(server: string, { opening }: Wire): Promise<{ answeredMs: number; endedMs: number }> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [serverPath(server)], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  child.stdin.write(`${opening}\n`);
  await Promise.race([once(child.stdout, "data"), exited]);
  const answeredMs = performance.now() - startedAt;
  child.stdin.end();
  await exited;
  return { answeredMs, endedMs: performance.now() - startedAt };
}

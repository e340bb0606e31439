// The chaos tests at full length: nodes and stores are killed, stopped and cut off under load, and the history of all
// that happened is read for broken promises.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SeededRandom } from "../../src/testing/seeded-random.ts";
import { type Backend, backends, ChaosCluster } from "../support/chaos/chaos-cluster.ts";
import { checkHistory, type Verdict } from "../support/chaos/check-history.ts";
import { HistoryFiles, mergeHistories } from "../support/chaos/history.ts";
import { keepHistory, runScenario } from "../support/chaos/run-scenario.ts";
import { long, short, toScenarios } from "../support/chaos/scenarios.ts";
import { brokenWhileAway, runStoreAway, storeOutages } from "../support/chaos/store-away.ts";

const usage = `npm run soak                                   every backend, once through all scenarios
npm run soak -- --backend redis --minutes 10   one backend, again and again for ten minutes
npm run soak -- --seed 42 --short              with the choices of a run before; with the size of CI
npm run soak -- --listeners 300                with fewer streams, for a machine that can't hold 1,000
npm run soak -- --replay FILE                  reads the history that a failed run has left
npm run soak -- --simulation 5000 --seed 1     so many schedules for each kind of fault, from a seed on
npm run soak -- --contract --backend nats      the contract of a state with 300 random runs of 50 steps, and 5,000
                                               schedules of each race; memory is a backend, too`;

const options = {
  help: { type: "boolean", short: "h" },
  backend: { type: "string" },
  minutes: { type: "string" },
  seed: { type: "string" },
  short: { type: "boolean" },
  listeners: { type: "string" },
  replay: { type: "string" },
  simulation: { type: "string" },
  contract: { type: "boolean" },
} as const;

/** The test of each backend that keeps the contract of a state. */
const contracts: Readonly<Record<string, string>> = {
  memory: "test/state/memory-contract.test.ts",
  redis: "test/state/redis/contract.test.ts",
  postgres: "test/state/postgres/contract.test.ts",
  nats: "test/state/nats/contract.test.ts",
  sqlite: "test/state/sqlite-contract.test.ts",
};

function readArguments() {
  try {
    const { values } = parseArgs({ options });
    const known = values.contract ? Object.keys(contracts) : backends;
    if (values.backend !== undefined && !known.some((name) => name === values.backend))
      throw new Error(`There is no backend "${values.backend}": choose one of ${known.join(", ")}.`);
    return values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}

const values = readArguments();
if (values.help) {
  console.log(usage);
  process.exit();
}
const size = values.short ? short : long;
const scale = { ...size, listeners: Number(values.listeners ?? size.listeners) };
/** The time that the store is away. */
const awayMs = values.short ? 3_000 : 60_000;
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));

if (values.replay !== undefined) process.exit(replay(values.replay));
if (values.simulation !== undefined) process.exit(runSimulation(values.simulation));
if (values.contract) process.exit(runContract(values.backend));
const chosen = backends.filter((backend) => values.backend === undefined || backend === values.backend);
let failures = 0;
for (const backend of chosen) failures += await soak(backend);
process.exit(failures > 0 ? 1 : 0);

function replay(path: string): number {
  const verdict = checkHistory(mergeHistories(new HistoryFiles([path]).read()));
  report(path, verdict);
  return verdict.violations.length > 0 ? 1 : 0;
}

function runSimulation(schedules: string): number {
  return runTests(["--project", "others", "test/chaos/simulation.test.ts"], schedules);
}

function runContract(backend?: string): number {
  const files = Object.entries(contracts).filter(([name]) => backend === undefined || name === backend);
  return runTests(["--project", "fuzz", "--maxWorkers", "1", ...files.map(([, file]) => file)], "5000");
}

/** Runs tests that read the number of schedules and the seed from the environment; returns the exit code. */
function runTests(args: readonly string[], schedules: string): number {
  const env = { ...process.env, ALLSPEAK_SCHEDULES: schedules, ALLSPEAK_SEED: `${seed}` };
  return spawnSync("npx", ["vitest", "run", ...args], { env, stdio: "inherit" }).status ?? 1;
}

/** Runs all scenarios on one backend, until the time is up; returns the number that failed. */
async function soak(backend: Backend): Promise<number> {
  const random = new SeededRandom(seed);
  const next = () => random.next();
  const folder = mkdtempSync(join(tmpdir(), "as-"));
  const endAt = performance.now() + Number(values.minutes ?? 0) * 60_000;
  console.log(`${backend}: seed ${seed}`);
  const cluster = await ChaosCluster.start({ backend, folder, random: next });
  let failed = 0;
  try {
    do {
      for (const scenario of toScenarios(scale, backend)) {
        const { entries, ...verdict } = await runScenario(cluster, scenario, { backend, seed, random: next });
        report(`${backend}: ${scenario.title}`, verdict);
        if (verdict.violations.length === 0) continue;
        failed++;
        console.log(`  history in ${keepHistory(entries, `${backend}-${scenario.title}`)}`);
      }
      if (cluster.store) failed += await takeStoreAway(cluster, backend);
    } while (performance.now() < endAt);
  } finally {
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return failed;
}

/** Takes the store away in each way; returns the number of ways in which a promise was broken. */
async function takeStoreAway(cluster: ChaosCluster, backend: Backend): Promise<number> {
  let failed = 0;
  for (const outage of storeOutages) {
    const away = await runStoreAway(cluster, outage, awayMs);
    const broken = brokenWhileAway(away);
    console.log(
      `${broken.length === 0 ? "ok  " : "FAIL"} ${backend}: the store ${outage.how} for ${awayMs} ms`,
    );
    const { stateless, inSession, backAfterMs } = away;
    const longest = Math.max(...inSession.map(({ tookMs }) => tookMs));
    const figures = { stateless, inSession: inSession.length, longestMs: Math.round(longest) };
    console.log(`  ${toList({ ...figures, backAfterMs: Math.round(backAfterMs) })}`);
    for (const what of broken.slice(0, 20)) console.log(`  ${what}`);
    if (broken.length > 0) failed++;
  }
  return failed;
}

function report(title: string, { violations, figures }: Verdict): void {
  console.log(`${violations.length === 0 ? "ok  " : "FAIL"} ${title}`);
  console.log(`  ${toList(figures)}`);
  const broken: Record<string, number> = { lost: 0, doubled: 0, "out of order": 0 };
  for (const { rule } of violations) broken[rule] = (broken[rule] ?? 0) + 1;
  console.log(`  ${toList(broken)}`);
  for (const { rule, what } of violations.slice(0, 20)) console.log(`  ${rule}: ${what}`);
  if (violations.length > 20) console.log(`  and ${violations.length - 20} more`);
}

function toList(counts: object): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
}

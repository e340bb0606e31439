import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "allspeak/client";
import type { ChaosCluster } from "./chaos-cluster.ts";
import { checkHistory, type Verdict } from "./check-history.ts";
import { checkStreams } from "./check-streams.ts";
import {
  type HistoryEntry,
  type HistoryEvent,
  HistoryFiles,
  type Limits,
  mergeHistories,
  monotonicMs,
  toHistoryText,
} from "./history.ts";
import { pause } from "./pause.ts";
import { type LoadClientOptions, LoadRun, type Workload } from "./workload.ts";

/** A fault and the time of the run at which it happens. Its action settles when it has passed. */
export interface TimedFault {
  readonly atMs: number;
  readonly fault: string;
  readonly target: string;
  readonly run: (cluster: ChaosCluster) => void | Promise<void>;
}

export interface Scenario {
  readonly title: string;
  readonly limits: Limits;
  readonly load: Pick<Workload, "revisions" | "listeners" | "events" | "everyMs" | "callers" | "calls">;
  readonly faults: readonly TimedFault[];
}

export interface ScenarioRun {
  readonly backend: string;
  readonly seed: number;
  readonly random: () => number;
}

export interface ScenarioResult extends Verdict {
  readonly entries: readonly HistoryEntry[];
}

/** The time that a call of the load may take; whatever happens, it ends then. */
const callTotalMs = 20_000;

let runs = 0;

/** Puts a load on a cluster while faults happen, and reads its history for broken promises. */
export async function runScenario(
  cluster: ChaosCluster,
  scenario: Scenario,
  { backend, seed, random }: ScenarioRun,
): Promise<ScenarioResult> {
  const startedAt = monotonicMs();
  const own: HistoryEntry[] = [];
  const record = (event: HistoryEvent) => void own.push({ ...event, at: monotonicMs(), by: "load" });
  const { title, limits } = scenario;
  record({ kind: "run", title, backend, seed, limits });
  const ofNodes = new HistoryFiles(cluster.histories, startedAt);
  const all = () => mergeHistories(own, ofNodes.read());
  const load = new LoadRun({
    ...scenario.load,
    prefix: `${process.pid}.${++runs}.`,
    record,
    random,
    connect: (options) => connectThrough(cluster, options),
    missing: () => checkStreams(all(), limits).filter(({ rule }) => rule === "lost").length,
  });
  await load.open();
  try {
    const faults = scenario.faults.map(({ atMs, fault, target, run }) =>
      after(atMs, async () => {
        record({ kind: "fault", fault, target });
        await run(cluster);
      }),
    );
    await Promise.all([load.run(), ...faults]);
  } finally {
    await load.close();
  }
  const entries = all();
  return { ...checkHistory(entries), entries };
}

/** Leaves the history of a run in a file; returns its path. */
export function keepHistory(entries: readonly HistoryEntry[], name: string): string {
  const folder = join(tmpdir(), "allspeak-histories");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name.replaceAll(/[^\w-]+/g, "-")}-${process.pid}.jsonl`);
  writeFileSync(path, toHistoryText(entries));
  return path;
}

function connectThrough(
  cluster: ChaosCluster,
  { principal, revision, onLog, onReconnected }: LoadClientOptions,
): ReturnType<typeof connect> {
  return connect(cluster.balancer.url, {
    headers: { "x-user": principal },
    revisions: [revision],
    tasks: true,
    timeout: { total: callTotalMs },
    elicit: ({ message }) => ({
      action: "accept",
      content: { id: /call is (.+)\?/.exec(message)?.[1] ?? "", principal },
    }),
    onLog: ({ data }) => onLog(data),
    onReconnected,
    // Connections break here all the time; what matters is in the history.
    onProblem: () => {},
  });
}

async function after(ms: number, run: () => Promise<void>): Promise<void> {
  await pause(ms);
  await run();
}

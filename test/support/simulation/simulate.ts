import type { SeededRandom } from "../../../src/testing/seeded-random.ts";
import { createChaosServer } from "../chaos/chaos-server.ts";
import { checkHistory, type Verdict } from "../chaos/check-history.ts";
import { checkStreams } from "../chaos/check-streams.ts";
import type { HistoryEntry, HistoryEvent, Limits } from "../chaos/history.ts";
import { type LoadClientOptions, LoadRun, type Workload } from "../chaos/workload.ts";
import { type FaultPlan, injectFaults } from "./fault-plan.ts";
import { inSimulation, type SimulatedCluster } from "./simulated-cluster.ts";

type Load = Pick<Workload, "revisions" | "listeners" | "events" | "everyMs" | "callers" | "calls">;

/** All that happens in one run. */
export interface Schedule {
  readonly nodes: number;
  /** Differences from the usual load: three listeners and three callers of all revisions. */
  readonly load?: Partial<Load>;
  readonly plan: FaultPlan;
}

export interface SimulationResult extends Verdict {
  readonly entries: readonly HistoryEntry[];
  readonly steps: number;
  readonly operations: number;
  readonly virtualMs: number;
}

const limits: Limits = { callMs: 90_000, attempts: 4 };

/** Puts a load on simulated nodes while faults happen, and reads its history for broken promises. */
export async function simulate(
  seed: number,
  toSchedule: (random: SeededRandom) => Schedule,
): Promise<SimulationResult> {
  const entries: HistoryEntry[] = [];
  let schedule: Schedule | undefined;
  const record = (by: string, event: HistoryEvent) =>
    void entries.push({ ...event, at: performance.now() + entries.length * 1e-6, by });
  const toParts = (random: SeededRandom) => {
    schedule = toSchedule(random);
    const { nodes, plan } = schedule;
    const { title, store, network } = plan;
    record("world", { kind: "run", title, backend: "simulated", seed, limits });
    const createServer = (node: string) => createChaosServer({ record: (event) => record(node, event) });
    return { nodes, createServer, store, network };
  };
  const figures = await inSimulation(seed, toParts, async (cluster, random) => {
    const { load, plan } = schedule as Schedule;
    const run = new LoadRun({
      prefix: "",
      record: (event) => record("load", event),
      connect: (client) => connectClient(cluster, client),
      revisions: ["2025-11-25", "2025-06-18", "2026-07-28"],
      listeners: 3,
      events: 4,
      everyMs: 1_000,
      callers: 3,
      ...load,
      random: () => random.next(),
      // Sealing works on other threads, which are not simulated.
      canCall: (name, revision) => name !== "ask" || revision !== "2026-07-28",
      missing: () => checkStreams(entries, limits).filter(({ rule }) => rule === "lost").length,
    });
    await run.open();
    injectFaults(plan, cluster, (event) => record("faults", event));
    await run.run();
    await run.close();
    const { clock, store } = cluster;
    return { steps: clock.steps, operations: store.operations, virtualMs: clock.now };
  });
  return { ...checkHistory(entries), ...figures, entries };
}

function connectClient(
  cluster: SimulatedCluster,
  { principal, revision, onLog, onReconnected }: LoadClientOptions,
): ReturnType<SimulatedCluster["connect"]> {
  return cluster.connect({
    headers: { "x-user": principal },
    revisions: [revision],
    tasks: true,
    timeout: { total: 60_000, idle: 60_000 },
    elicit: ({ message }) => ({
      action: "accept",
      content: { id: /call is (.+)\?/.exec(message)?.[1] ?? "", principal },
    }),
    onLog: ({ data }) => onLog(data),
    onReconnected,
    onProblem: () => {},
  });
}

import type { Backend, ChaosCluster } from "./chaos-cluster.ts";
import type { NodeProcess } from "./node-process.ts";
import { pause } from "./pause.ts";
import type { Scenario, TimedFault } from "./run-scenario.ts";
import type { LoadRevision } from "./workload.ts";

/** The size of a run: a short one for CI, the figures of the promises for a long one. */
export interface Scale {
  readonly listeners: number;
  readonly events: number;
  readonly everyMs: number;
  readonly callers: number;
  /** The times of faults are multiplied by it. */
  readonly pace: number;
}

export const short: Scale = { listeners: 12, events: 20, everyMs: 250, callers: 6, pace: 0.2 };
export const long: Scale = { listeners: 1_000, events: 25, everyMs: 1_000, callers: 20, pace: 1 };

const revisions: readonly LoadRevision[] = ["2025-11-25", "2025-06-18", "2026-07-28", "2025-03-26"];

/** A call that was on a node when that died may fail; the caller is told so. */
const anyMayFail = { callMs: 22_000, attempts: 3 };

function node(cluster: ChaosCluster, index: number): NodeProcess {
  return cluster.nodes[index % cluster.nodes.length] as NodeProcess;
}

function killNode(atMs: number, index: number): TimedFault {
  return {
    atMs,
    fault: "kill -9",
    target: `node-${index}`,
    run: async (cluster) => {
      await node(cluster, index).kill();
      await pause(1_000);
      await node(cluster, index).start();
    },
  };
}

function killStore(atMs: number): TimedFault {
  return { atMs, fault: "kill -9 and restart", target: "store", run: (cluster) => cluster.store?.restart() };
}

function freezeNode(atMs: number, index: number, forMs = 5_000): TimedFault {
  return {
    atMs,
    fault: "SIGSTOP",
    target: `node-${index}`,
    run: async (cluster) => {
      node(cluster, index).freeze();
      await pause(forMs);
      node(cluster, index).thaw();
    },
  };
}

/** Nothing goes wrong, so nothing may fail. */
export function calm({ pace: _, ...load }: Scale): Scenario {
  return {
    title: "no faults",
    limits: { callMs: 10_000, attempts: 1, mayFail: [] },
    load: { ...load, revisions },
    faults: [],
  };
}

/** D1, D2, D5: kill a node, then the store, then stop a node for five seconds. */
export function crashes({ pace, ...load }: Scale): Scenario {
  return {
    title: "a node is killed, the store is killed, a node is stopped",
    limits: { ...anyMayFail, stallMs: 6_000 },
    load: { ...load, revisions },
    faults: [killNode(4_000 * pace, 0), killStore(8_000 * pace), freezeNode(12_000 * pace, 1)],
  };
}

/** Connections to the store break in the middle of commands, again and again. */
export function cuts({ pace, ...load }: Scale): Scenario {
  const times = Array.from({ length: 12 }, (_, index) => (index + 1) * 1_000 * pace);
  return {
    title: "connections to the store break in the middle of a command",
    limits: { ...anyMayFail, stallMs: 6_000 },
    load: { ...load, revisions },
    faults: times.map((atMs, index) => ({
      atMs,
      fault: "cut mid-command",
      target: `node-${index % 3}`,
      run: (cluster) => cluster.ways[index % 3]?.cutMidCommand(1 + 5 * index),
    })),
  };
}

/** The store takes 200 ms to answer; then one node does not reach it. */
export function slowness({ pace, ...load }: Scale): Scenario {
  return {
    title: "the store is slow, then one node does not reach it",
    limits: { ...anyMayFail, stallMs: 6_000 },
    load: { ...load, revisions },
    faults: [
      {
        atMs: 1_000 * pace,
        fault: "slow by 200 ms",
        target: "store",
        run: async ({ ways }) => {
          for (const way of ways) way.delay(100);
          await pause(5_000 * pace);
          for (const way of ways) way.delay(0);
        },
      },
      {
        atMs: 8_000 * pace,
        fault: "partition",
        target: "node-2",
        run: async ({ ways }) => {
          ways[2]?.blackHole();
          await pause(8_000 * pace);
          ways[2]?.heal();
        },
      },
    ],
  };
}

/** One node does not reach the store for so long that the others take it for dead, and comes back. */
export function cutOff({ pace: _, ...load }: Scale): Scenario {
  const awayMs = 13_000;
  return {
    title: "one node does not reach the store for longer than the others wait",
    limits: { ...anyMayFail, stallMs: 6_000 },
    load: { ...load, events: Math.ceil((awayMs + 5_000) / load.everyMs), revisions },
    faults: [
      {
        atMs: 1_000,
        fault: "partition",
        target: "node-1",
        run: async ({ ways }) => {
          ways[1]?.blackHole();
          await pause(awayMs);
          ways[1]?.heal();
        },
      },
    ],
  };
}

/** D8: every node is drained and started again, one after the other; nothing may fail. */
export function rollingRestart({ pace, ...load }: Scale): Scenario {
  // On a slow machine a node may need longer than the time until the next one's turn.
  let restarted: Promise<void> = Promise.resolve();
  return {
    title: "all nodes are restarted, one after the other",
    limits: { callMs: 22_000, attempts: 2, stallMs: 6_000, mayFail: [] },
    load: { ...load, revisions },
    faults: [0, 1, 2].map((index) => ({
      atMs: (1_000 + index * 6_000) * pace,
      fault: "drain and restart",
      target: `node-${index}`,
      run: (cluster) => {
        restarted = restarted.then(() => restart(cluster, index));
        return restarted;
      },
    })),
  };
}

async function restart(cluster: ChaosCluster, index: number): Promise<void> {
  const { port } = node(cluster, index);
  cluster.balancer.leave(port);
  await node(cluster, index).drain();
  await node(cluster, index).start();
  cluster.balancer.join(port);
}

/** All scenarios that can happen with a backend. */
export function toScenarios(scale: Scale, backend: Backend): readonly Scenario[] {
  const everywhere = [crashes(scale), rollingRestart(scale)];
  // The store is a file there, and no network lies before it.
  return backend === "sqlite" ? everywhere : [...everywhere, cuts(scale), slowness(scale), cutOff(scale)];
}

import type { SeededRandom } from "../../../src/testing/seeded-random.ts";
import type { HistoryEvent } from "../chaos/history.ts";
import type { SimulatedCluster } from "./simulated-cluster.ts";
import type { NetworkFaults, SimulatedNode } from "./simulated-network.ts";
import type { StoreFaults } from "./simulated-store.ts";

export const faultKinds = [
  "kill a node",
  "freeze a node",
  "cut a node off the store",
  "store down",
  "break all connections",
] as const;

export type Fault = (typeof faultKinds)[number];

export interface TimedFault {
  readonly fault: Fault;
  readonly atMs: number;
  readonly forMs: number;
  /** The number of the node that it hits. */
  readonly node: number;
}

/** All that goes wrong in one run. */
export interface FaultPlan {
  readonly title: string;
  readonly store: StoreFaults;
  readonly network: NetworkFaults;
  readonly faults: readonly TimedFault[];
}

/** The extent of the faults of a plan. */
export interface FaultScale {
  /** The most faults. */
  readonly count: number;
  /** The time in which they begin. */
  readonly withinMs: number;
  /** The longest time that one usually lasts. */
  readonly forMs: number;
}

/** The faults that may last so long that other nodes take the one that they hit for dead. */
const mayLast: readonly Fault[] = ["freeze a node", "cut a node off the store"];

/** A plan of a few faults of these kinds, on a store and a network with small faults of their own. */
export function planFaults(random: SeededRandom, kinds: readonly Fault[], scale: FaultScale): FaultPlan {
  const count = kinds.length === 0 ? 0 : random.between(1, scale.count);
  const faults = Array.from({ length: count }, () => {
    const fault = random.pick(kinds);
    const isLong = mayLast.includes(fault) && random.chance(0.2);
    return {
      fault,
      atMs: random.next() * scale.withinMs,
      forMs: isLong ? 9_000 + random.next() * 9_000 : 300 + random.next() * (scale.forMs - 300),
      node: random.between(0, 2),
    };
  });
  return {
    title: faults.map(({ fault }) => fault).join(", ") || "small faults",
    store: {
      latencyMs: random.pick([1, 5, 20]),
      slow: random.pick([0, 0.02, 0.1]),
      slowMs: random.pick([100, 400]),
      failBefore: random.pick([0, 0, 0.01]),
      failAfter: random.pick([0, 0, 0.01]),
      lostHints: random.pick([0, 0.2, 1]),
      reorders: random.chance(0.3),
    },
    network: { latencyMs: random.pick([1, 10, 50]), cuts: random.pick([0, 0.05, 0.2]) },
    faults,
  };
}

/** Lets the faults of a plan happen at their time, and pass. */
export function injectFaults(
  plan: FaultPlan,
  cluster: SimulatedCluster,
  record: (event: HistoryEvent) => void,
): void {
  const { clock, network } = cluster;
  for (const timed of plan.faults)
    clock.schedule(clock.outside, timed.atMs, () => {
      const node = network.nodes[timed.node % network.nodes.length] as SimulatedNode;
      // Where no node is left, clients give up, and nobody has promised them anything else.
      const isLast = network.nodes.every(({ host }) => host === node.host || !host.isAlive);
      if (isLast && timed.fault === "kill a node") return;
      record({ kind: "fault", fault: timed.fault, target: node.host.name });
      clock.schedule(clock.outside, timed.forMs, inject(timed.fault, node, cluster));
    });
}

/** Lets a fault happen; returns the function that ends it. */
function inject(fault: Fault, node: SimulatedNode, cluster: SimulatedCluster): () => void {
  const { host } = node;
  const { clock, network, store } = cluster;
  switch (fault) {
    case "kill a node":
      host.kill();
      network.drop(host);
      return () => {
        network.nodes = network.nodes.map((other) => (other === node ? cluster.startNode() : other));
      };
    case "freeze a node":
      host.freeze();
      return () => clock.thaw(host);
    case "cut a node off the store":
      store.partition(host, true);
      return () => store.partition(host, false);
    case "store down":
      store.isDown = true;
      return () => {
        store.isDown = false;
      };
    case "break all connections":
      network.drop(host);
      return () => {};
  }
}

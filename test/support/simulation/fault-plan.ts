import type { SeededRandom } from "../../../src/testing/seeded-random.ts";
import type { HistoryEvent } from "../chaos/history.ts";
import type { NetworkFaults, SimulatedNetwork, SimulatedNode } from "./simulated-network.ts";
import type { SimulatedStore, StoreFaults } from "./simulated-store.ts";
import type { VirtualClock } from "./virtual-clock.ts";

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

export const calmStore: StoreFaults = {
  latencyMs: 2,
  slow: 0,
  slowMs: 200,
  failBefore: 0,
  failAfter: 0,
  lostHints: 0,
  reorders: false,
};

/** A plan of a few faults of these kinds, on a store and a network with small faults of their own. */
export function planFaults(random: SeededRandom, kinds: readonly Fault[]): FaultPlan {
  const count = kinds.length === 0 ? 0 : random.between(1, 3);
  const faults = Array.from({ length: count }, () => ({
    fault: random.pick(kinds),
    atMs: random.next() * 6_000,
    forMs: 300 + random.next() * 5_000,
    node: random.between(0, 2),
  }));
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

interface Targets {
  readonly store: SimulatedStore;
  readonly network: SimulatedNetwork;
  readonly startNode: () => SimulatedNode;
  readonly record: (event: HistoryEvent) => void;
}

/** Lets the faults of a plan happen at their time, and pass. */
export function injectFaults(plan: FaultPlan, clock: VirtualClock, targets: Targets): void {
  for (const timed of plan.faults)
    clock.schedule(clock.outside, timed.atMs, () => {
      const { network, record } = targets;
      const node = network.nodes[timed.node % network.nodes.length] as SimulatedNode;
      record({ kind: "fault", fault: timed.fault, target: node.host.name });
      const heal = inject(timed.fault, node, targets);
      clock.schedule(clock.outside, timed.forMs, heal);
    });
}

function inject(fault: Fault, node: SimulatedNode, { store, network, startNode }: Targets): () => void {
  const { host } = node;
  switch (fault) {
    case "kill a node":
      host.kill();
      network.drop(host);
      return () => {
        network.nodes = network.nodes.map((other) => (other === node ? startNode() : other));
      };
    case "freeze a node":
      host.freeze();
      return () => host.thaw();
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

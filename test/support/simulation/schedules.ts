import type { SeededRandom } from "../../../src/testing/seeded-random.ts";
import type { LoadRevision } from "../chaos/workload.ts";
import { type Fault, planFaults } from "./fault-plan.ts";
import type { Schedule } from "./simulate.ts";
import { calmStore } from "./simulated-store.ts";

const revisions: readonly LoadRevision[] = ["2025-11-25", "2025-06-18", "2026-07-28"];

/** Three nodes with clients of all revisions, and up to three faults in some seconds. */
export function toLarge(random: SeededRandom, kinds: readonly Fault[]): Schedule {
  const plan = planFaults(random, kinds, { count: 3, withinMs: 6_000, forMs: 5_300 });
  return { nodes: 3, plan };
}

/** A few nodes and clients with a few calls, and up to two faults among them: many of these take little time. */
export function toSmall(random: SeededRandom, kinds: readonly Fault[]): Schedule {
  const plan = planFaults(random, kinds, { count: 2, withinMs: 1_200, forMs: 2_500 });
  const first = random.between(0, revisions.length - 1);
  const load = {
    revisions: [...revisions.slice(first), ...revisions.slice(0, first)],
    listeners: 1,
    events: 2,
    everyMs: 300,
    callers: random.between(1, 2),
  };
  return { nodes: random.between(2, 3), load, plan };
}

/** Nothing goes wrong. */
export function toCalm(): Schedule {
  return {
    nodes: 3,
    plan: { title: "calm", store: calmStore, network: { latencyMs: 5, cuts: 0 }, faults: [] },
  };
}

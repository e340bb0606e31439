import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { loadSimulation } from "../support/simulation/load-simulation.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { simulate, toCalm } = await loadSimulation(root);

// In these schedules clients read at one node the calls of another when the store comes back.
it.each([1, 5, 8])(
  "nobody is taken for dead after the store was away for longer than a dead node is waited for, with seed %i",
  async (seed) => {
    const { plan, ...calm } = toCalm();
    const { entries, figures } = await simulate(seed, () => ({
      ...calm,
      load: { revisions: ["2025-11-25"], calls: ["stream"], events: 30, callers: 6 },
      plan: {
        ...plan,
        network: { latencyMs: 5, cuts: 0.5 },
        faults: [{ fault: "store down", atMs: 3_000 + seed * 100, forMs: 12_000, node: 0 }],
      },
    }));
    const errors = entries.flatMap((entry) => (entry.kind === "refused" ? [entry.message] : []));
    expect(figures.faults).toBe(1);
    expect(errors.filter((message) => message.includes("is gone"))).toEqual([]);
  },
);

import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadSimulation } from "../support/simulation/load-simulation.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { simulate, calmStore, planFaults, faultKinds } = await loadSimulation(root);

/** The first seed, and the number of schedules for each kind of fault; `npm run soak -- --simulation` sets both. */
const firstSeed = Number(process.env.ALLSPEAK_SEED ?? 1);
const schedules = Number(process.env.ALLSPEAK_SCHEDULES ?? 10);

describe("the simulation of nodes", () => {
  it("gives the same history for the same seed, and another for another", async () => {
    const options = { plan: (random: Parameters<typeof planFaults>[0]) => planFaults(random, faultKinds) };
    const [first, second, other] = [
      await simulate(7, options),
      await simulate(7, options),
      await simulate(8, options),
    ];
    expect(JSON.stringify(second.entries)).toBe(JSON.stringify(first.entries));
    expect(JSON.stringify(other.entries)).not.toBe(JSON.stringify(first.entries));
  });

  it("breaks no promise and fails no call where nothing goes wrong", async () => {
    const network = { latencyMs: 5, cuts: 0 };
    const plan = () => ({ title: "calm", store: calmStore, network, faults: [] });
    const { violations, figures } = await simulate(1, { plan });
    expect(violations).toEqual([]);
    expect(figures.failedCalls).toBe(0);
    expect(figures.tasks).toBeGreaterThan(0);
  });

  it.each([
    { kinds: [], title: "small faults of the store and the network" },
    ...faultKinds.map((kind) => ({ kinds: [kind], title: `"${kind}"` })),
    { kinds: faultKinds, title: "all faults together" },
  ])("keeps all promises with $title", { timeout: 60_000 }, async ({ kinds }) => {
    const failed: string[] = [];
    for (let seed = firstSeed; seed < firstSeed + schedules; seed++) {
      const { violations } = await simulate(seed, { plan: (random) => planFaults(random, kinds) });
      const [first] = violations;
      if (first) failed.push(`seed ${seed}: ${violations.length} broken; ${first.rule}: ${first.what}`);
    }
    expect(failed).toEqual([]);
  });
});

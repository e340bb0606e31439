import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadSimulation } from "../support/simulation/load-simulation.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { simulate, toCalm, toLarge, toSmall, faultKinds } = await loadSimulation(root);

/** The first seed, and the number of small schedules for each kind of fault; `npm run soak -- --simulation` sets both. */
const firstSeed = Number(process.env.ALLSPEAK_SEED ?? 1);
const schedules = Number(process.env.ALLSPEAK_SCHEDULES ?? 150);
/** One large schedule is run for so many small ones. */
const smallPerLarge = 50;

/** Much more than they take, on a machine that is busy with other things. */
const timeout = 60_000 + 400 * schedules;

/** The seeds that break a promise, each with what it breaks. */
async function findBroken(toSchedule: Parameters<typeof simulate>[1], count: number): Promise<string[]> {
  const broken: string[] = [];
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const { violations } = await simulate(seed, toSchedule);
    const [first] = violations;
    if (first) broken.push(`seed ${seed}: ${violations.length} broken; ${first.rule}: ${first.what}`);
  }
  return broken;
}

describe("the simulation of nodes", () => {
  it("gives the same history for the same seed, and another for another", async () => {
    const run = async (seed: number) =>
      JSON.stringify((await simulate(seed, (random) => toLarge(random, faultKinds))).entries);
    const first = await run(7);
    expect(await run(7)).toBe(first);
    expect(await run(8)).not.toBe(first);
  });

  it("breaks no promise and fails no call where nothing goes wrong", async () => {
    const { violations, figures } = await simulate(1, toCalm);
    expect(violations).toEqual([]);
    expect(figures.failedCalls).toBe(0);
    expect(figures.tasks).toBeGreaterThan(0);
  });

  describe.each([
    { kinds: [], title: "small faults of the store and the network" },
    ...faultKinds.map((kind) => ({ kinds: [kind], title: `"${kind}"` })),
    { kinds: faultKinds, title: "all faults together" },
  ])("keeps all promises with $title", ({ kinds }) => {
    it("in many small schedules", { timeout }, async () => {
      expect(await findBroken((random) => toSmall(random, kinds), schedules)).toEqual([]);
    });

    it("in some large ones", { timeout }, async () => {
      const count = Math.ceil(schedules / smallPerLarge);
      expect(await findBroken((random) => toLarge(random, kinds), count)).toEqual([]);
    });
  });
});

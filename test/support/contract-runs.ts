import { randomInt } from "node:crypto";
import type { StateContractOptions } from "allspeak/testing/state";
import { fuzzed } from "./fuzz.ts";

const isWhole = fuzzed(0, 1) === 1;

/**
 * How often the random cases of the contract of a state run: a few times in `npm test`. In `npm run test:wide` it is 300
 * times with 50 steps each, and 5,000 schedules over all cases and stores; `npm run soak -- --contract` has 5,000 for each.
 */
export const contractRuns: Pick<StateContractOptions, "runs" | "schedules" | "maxSteps" | "seed"> = {
  runs: fuzzed(20, 300),
  schedules: Number(process.env.ALLSPEAK_SCHEDULES ?? fuzzed(20, 250)),
  // A run has half of them, as a rule.
  maxSteps: fuzzed(40, 100),
  seed: Number(process.env.ALLSPEAK_SEED ?? randomInt(2 ** 31)),
};

/** Much longer than a case takes, on a machine that is busy with other tests. */
export const contractTimeoutMs: number = isWhole ? 240_000 + 100 * (contractRuns.schedules ?? 0) : 60_000;

// A failure names its seed; a case that hangs does not.
if (isWhole) console.log(`The contract of a state: ${JSON.stringify(contractRuns)}`);

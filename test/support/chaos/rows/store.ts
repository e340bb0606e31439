import { expect, it } from "vitest";
import type { ChaosBackend } from "../describe-chaos.ts";
import { brokenWhileAway, runStoreAway, storeOutages } from "../store-away.ts";

const timeout = 60_000;
/** The least time that the store is away; `npm run soak` takes 60 s. */
const awayMs = 1_500;

/** D6: the store goes away, and comes back. */
export function describeStoreRows({ cluster }: ChaosBackend): void {
  it.each(storeOutages)(
    "D6: while the store $how, calls without a session go on, others are told within a second to come back, and do within five",
    { timeout },
    async (outage) => {
      expect(brokenWhileAway(await runStoreAway(cluster(), outage, awayMs))).toEqual([]);
    },
  );
}

import { expect, test } from "vitest";
import { BackOff } from "../../../src/lib/async/back-off.ts";

test("pauses double with each failure up to the longest, and half of each is random", () => {
  const pauses = new BackOff({ firstMs: 100, maxMs: 1_000 });
  for (const ms of [100, 200, 400, 800, 1_000, 1_000]) {
    const pause = pauses.fail();
    expect(pause).toBeGreaterThanOrEqual(ms / 2);
    expect(pause).toBeLessThanOrEqual(ms);
    expect(pause % 1).toBe(0);
  }
  expect(pauses.failures).toBe(6);
});

test("what held for half a minute has no part in the failures before it", () => {
  const pauses = new BackOff({ firstMs: 100 });
  for (let count = 0; count < 5; count++) pauses.fail();
  expect(pauses.fail(29_999)).toBeGreaterThan(100);
  expect(pauses.fail(30_000)).toBeLessThanOrEqual(100);
  expect(pauses.failures).toBe(1);
});

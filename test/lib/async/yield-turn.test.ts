import { expect, it } from "vitest";
import { nextTurn, TurnYielder } from "../../../src/lib/async/yield-turn.ts";

it("lets timers run that were due before", async () => {
  let hasRun = false;
  setTimeout(() => {
    hasRun = true;
  });
  await nextTurn();
  expect(hasRun).toBe(true);
});

it("pauses a handler once in 32 calls", () => {
  const yielder = new TurnYielder();
  const pauses = Array.from({ length: 64 }, () => yielder.afterCall());
  expect(pauses.map((pause) => pause !== undefined).filter(Boolean)).toHaveLength(2);
  expect(pauses[31]).toBeInstanceOf(Promise);
});

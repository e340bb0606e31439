import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FairBudget, type Readiness } from "../../../src/lib/bounded/fair-budget.ts";

interface Thing {
  readonly name: string;
  readonly readiness: Readiness;
}

function createBudget(count: number, bytes: number) {
  const evicted: string[] = [];
  let looks = 0;
  const budget = new FairBudget<Thing>({
    count,
    bytes,
    readinessOf: ({ readiness }) => {
      looks++;
      return readiness;
    },
    evict: ({ name }) => void evicted.push(name),
  });
  return { budget, evicted, looks: () => looks };
}

describe("a fair budget", () => {
  it("takes from the largest holder what it used longest ago", () => {
    const { budget, evicted } = createBudget(3, 100);
    for (const name of ["a1", "a2"]) budget.add({ name, readiness: "idle" }, "a", 1);
    budget.add({ name: "b1", readiness: "idle" }, "b", 1);
    expect(budget.add({ name: "c1", readiness: "idle" }, "c", 1)).toBe(true);
    expect(evicted).toEqual(["a1"]);
  });

  it("stops taking from a holder that is no longer the largest", () => {
    const { budget, evicted } = createBudget(100, 100);
    for (let at = 0; at < 6; at++) budget.add({ name: `a${at}`, readiness: "idle" }, "a", 10);
    for (let at = 0; at < 4; at++) budget.add({ name: `b${at}`, readiness: "idle" }, "b", 10);
    budget.add({ name: "c", readiness: "idle" }, "c", 40);
    expect(evicted).toHaveLength(4);
    expect(evicted.filter((name) => name.startsWith("a"))).toEqual(["a0", "a1", "a2"]);
  });

  it("finds room for a large thing among thousands with few looks", () => {
    const { budget, evicted, looks } = createBudget(10_000, 10_000);
    for (let at = 0; at < 9_000; at++) budget.add({ name: `a${at}`, readiness: "idle" }, "a", 1);
    const before = looks();
    expect(budget.add({ name: "large", readiness: "idle" }, "b", 4_000)).toBe(true);
    expect(evicted).toHaveLength(3_000);
    expect(looks() - before).toBeLessThan(30_000);
  });

  it("never holds more than it has room for, whatever comes", () => {
    const readiness = fc.constantFrom<Readiness>("unused", "idle", "busy", "kept");
    const step = fc.record({
      holder: fc.constantFrom("a", "b", "c"),
      bytes: fc.integer({ min: 0, max: 40 }),
      readiness,
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { budget, evicted } = createBudget(8, 100);
        let taken = 0;
        for (const [at, { holder, bytes, readiness }] of steps.entries())
          if (budget.add({ name: String(at), readiness }, holder, bytes)) taken++;
        expect(budget.count).toBeLessThanOrEqual(8);
        expect(budget.bytes).toBeLessThanOrEqual(100);
        expect(budget.count).toBe(taken - evicted.length);
        expect(["a", "b", "c"].reduce((sum, key) => sum + budget.countOf(key), 0)).toBe(budget.count);
      }),
    );
  });
});

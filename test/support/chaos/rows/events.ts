import { expect, it } from "vitest";
import type { ChaosBackend } from "../describe-chaos.ts";
import { crashes, cutOff, cuts, rollingRestart, short, slowness } from "../scenarios.ts";

const events = short.listeners * short.events;
const timeout = 90_000;

/** D1, D2 and D8: a load goes on while things fail, and its history is checked. */
export function describeEventRows({ backend, expectKept }: ChaosBackend): void {
  it("D1, D2: nothing acknowledged is lost, doubled or out of order and each task ends once, over kill -9 of a node and of the store and SIGSTOP of a node", {
    timeout,
  }, async () => {
    const figures = await expectKept(crashes(short));
    expect(figures.published).toBeGreaterThan(events / 2);
    expect(figures.tasks).toBeGreaterThan(0);
  });

  it("D8: a rolling restart of all nodes fails no call", { timeout }, async () => {
    const figures = await expectKept(rollingRestart(short));
    expect(figures.published).toBeGreaterThanOrEqual(events);
  });

  if (backend === "sqlite") return;

  it("D1, D2: the same holds while connections to the store break in the middle of commands", {
    timeout,
  }, async () => {
    const figures = await expectKept(cuts(short));
    expect(figures.published).toBeGreaterThan(events / 2);
  });

  it("D1, D2: the same holds while the store takes 200 ms, and then one node does not reach it", {
    timeout,
  }, async () => {
    const figures = await expectKept(slowness(short));
    expect(figures.published).toBeGreaterThan(events / 4);
  });

  it("D1, D2: the same holds when one node is away for longer than the others wait, and comes back", {
    timeout,
  }, async () => {
    const figures = await expectKept(cutOff(short));
    expect(figures.published).toBeGreaterThan(events);
    expect(figures.tasks).toBeGreaterThan(0);
  });
}

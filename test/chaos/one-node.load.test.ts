import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ChaosCluster } from "../support/chaos/chaos-cluster.ts";
import { runScenario } from "../support/chaos/run-scenario.ts";
import { calm, short } from "../support/chaos/scenarios.ts";

it("one node with memory keeps all promises under a load without faults", { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "as-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const random = Math.random;
  const cluster = await ChaosCluster.start({ backend: "memory", folder, random, nodes: 1 });
  onTestFinished(() => cluster.close());
  const { violations, figures } = await runScenario(cluster, calm(short), {
    backend: "memory",
    seed: 0,
    random,
  });
  expect(violations.slice(0, 20)).toEqual([]);
  expect(figures.received).toBeGreaterThanOrEqual(short.listeners * short.events);
  expect(figures.tasks).toBeGreaterThan(0);
});

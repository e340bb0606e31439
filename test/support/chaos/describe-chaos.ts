import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { SeededRandom } from "../../../src/testing/seeded-random.ts";
import { type Backend, ChaosCluster, node22 } from "./chaos-cluster.ts";
import type { Figures } from "./check-history.ts";
import { describeCallRows } from "./rows/calls.ts";
import { describeEventRows } from "./rows/events.ts";
import { describeStoreRows } from "./rows/store.ts";
import { keepHistory, runScenario, type Scenario } from "./run-scenario.ts";
import { hasStore } from "./stores/start-store.ts";

const seed = Number(process.env.ALLSPEAK_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Three nodes and a store of their own, for all rows of a backend. */
export interface ChaosBackend {
  readonly backend: Backend;
  readonly cluster: () => ChaosCluster;
  /** Runs a scenario, and fails the test if a promise was broken; returns its figures. */
  readonly expectKept: (scenario: Scenario) => Promise<Figures>;
}

/** The rows of promises for many nodes, on one backend; skipped with a line where it can't be started. */
export function describeChaos(backend: Backend): void {
  const reason = reasonToSkip(backend);
  if (reason !== undefined) console.warn(`Chaos with ${backend} is skipped: ${reason}.`);
  describe.runIf(reason === undefined)(`three nodes with ${backend}`, () => {
    const of = openBackend(backend);
    describeEventRows(of);
    describeCallRows(of);
    // The store of SQLite is a file: no process that could die, no network that could break.
    if (backend !== "sqlite") describeStoreRows(of);
  });
}

function openBackend(backend: Backend): ChaosBackend {
  const random = new SeededRandom(seed);
  const next = () => random.next();
  let cluster: ChaosCluster | undefined;
  let folder = "";
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "as-"));
    cluster = await ChaosCluster.start({ backend, folder, random: next });
  }, 60_000);
  afterAll(async () => {
    await cluster?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const running = () => {
    if (cluster === undefined) throw new Error("The cluster has not started.");
    return cluster;
  };
  return {
    backend,
    cluster: running,
    expectKept: async (scenario) => {
      const run = { backend, seed, random: next };
      const { violations, figures, entries } = await runScenario(running(), scenario, run);
      console.log(`${backend}: ${scenario.title}: ${JSON.stringify(figures)}`);
      if (violations.length > 0)
        console.log(`seed ${seed}, history in ${keepHistory(entries, `${backend}-${scenario.title}`)}`);
      expect(violations.slice(0, 20), `seed ${seed}`).toEqual([]);
      return figures;
    },
  };
}

function reasonToSkip(backend: Backend): string | undefined {
  if (backend === "sqlite")
    return existsSync(node22) ? undefined : "the Node.js of test/conformance/suite is not installed";
  return hasStore(backend) ? undefined : "its program is not installed";
}

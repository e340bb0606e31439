import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqlite } from "allspeak/state/sqlite";
import { stateContract } from "allspeak/testing/state";
import { afterAll, describe, it } from "vitest";
import { contractRuns, contractTimeoutMs } from "../../support/contract-runs.ts";

const folder = mkdtempSync(join(tmpdir(), "as-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the state in SQLite keeps the contract", () => {
  const open = () => sqlite(join(folder, "state.db"), { synchronous: "normal" });
  const openApart = () => sqlite(join(folder, "apart.db"), { synchronous: "normal" });
  const openTrimmed = () => sqlite(join(folder, "state.db"), { synchronous: "normal", maxEvents: 10 });
  let files = 0;
  const openLimited = () =>
    sqlite(join(folder, `${files++}.db`), { synchronous: "normal", maxTasks: 8, maxEndedTasks: 4 });
  const cases = stateContract(open, { ...contractRuns, openApart, openTrimmed, openLimited });
  for (const { name, run } of cases) it.concurrent(name, run, contractTimeoutMs);
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqlite } from "allspeak/state/sqlite";
import { stateContract } from "allspeak/testing/state";
import { afterAll, describe, it, onTestFinished } from "vitest";
import { describeTaskModel } from "../../contract/task-model.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const folder = mkdtempSync(join(tmpdir(), "as-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the state in SQLite keeps the contract", () => {
  const open = () => sqlite(join(folder, "state.db"), { synchronous: "normal" });
  const openApart = () => sqlite(join(folder, "apart.db"), { synchronous: "normal" });
  const openTrimmed = () => sqlite(join(folder, "state.db"), { synchronous: "normal", maxEvents: 10 });
  for (const { name, run } of stateContract(open, { openApart, openTrimmed })) it.concurrent(name, run);
});

describeTaskModel(() => {
  const state = sqlite(join(createTemporaryFolder(), "state.db"), { synchronous: "normal" });
  onTestFinished(() => state.close());
  return state;
});

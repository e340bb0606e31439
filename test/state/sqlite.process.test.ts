import { UsageError } from "allspeak";
import { sqlite } from "allspeak/state/sqlite";
import { describe, expect, it } from "vitest";
import { node22 } from "../support/node22.ts";
import { runSqlite } from "../support/run-sqlite.ts";

describe.skipIf(node22 === undefined)(
  "SQLite, which needs Node 22.13 (npm run conformance installs one)",
  () => {
    it("does all that test/state/sqlite says", { timeout: 240_000 }, () => runSqlite([]));
  },
);

describe.skipIf(process.getBuiltinModule("node:sqlite") !== undefined)("SQLite on an older Node", () => {
  it("says which Node it needs", () => {
    expect(() => sqlite("state.db")).toThrow(UsageError);
    expect(() => sqlite("state.db")).toThrow(/needs node:sqlite, .*Node 22\.13.*; this is v20/);
  });
});

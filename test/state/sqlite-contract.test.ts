import { it } from "vitest";
import { contractTimeoutMs } from "../support/contract-runs.ts";
import { node22 } from "../support/node22.ts";
import { runSqlite } from "../support/run-sqlite.ts";

it.skipIf(node22 === undefined)(
  "the state in SQLite keeps the contract with all of its random cases",
  { timeout: 4 * contractTimeoutMs },
  () => runSqlite(["test/state/sqlite/contract.test.ts"], { ALLSPEAK_FUZZ: "whole" }),
);

import { postgres } from "allspeak/state/postgres";
import { stateContract } from "allspeak/testing/state";
import pg from "pg";
import { afterAll, describe, it } from "vitest";
import { contractRuns, contractTimeoutMs } from "../../support/contract-runs.ts";
import { hasPostgres, run, url as server, sharedPrefix } from "./support.ts";

// The machine may be busy with other tests.
const timeoutMs = 30_000;
// These cases kill no server, so that nothing has to wait for its disk.
const url = `${server}?options=-c%20synchronous_commit%3Doff`;

describe.skipIf(!hasPostgres)("the state in PostgreSQL keeps the contract", () => {
  const [prefix, apart, limited] = [sharedPrefix(), sharedPrefix(), sharedPrefix()];
  const cases = stateContract(() => postgres(url, { prefix, maxConnections: 4, timeoutMs }), {
    ...contractRuns,
    openApart: () => postgres(url, { prefix: apart, timeoutMs }),
    openTrimmed: () => postgres(url, { prefix, maxEvents: 10, timeoutMs }),
    openLimited: async () => {
      const state = postgres(url, { prefix: limited, maxTasks: 8, maxEndedTasks: 4, timeoutMs });
      await state.tasks.get("none");
      await run(`DELETE FROM "${limited}".tasks`);
      return state;
    },
  });
  for (const { name, run } of cases) it.concurrent(name, run, contractTimeoutMs);
});

describe.skipIf(!hasPostgres)("the state in PostgreSQL, in a pool that was given, keeps the contract", () => {
  const prefix = sharedPrefix();
  const pool = new pg.Pool({ connectionString: url, max: 16 });
  afterAll(() => pool.end());
  // Another way to connect; random steps are tried at length above.
  for (const { name, run } of stateContract(() => postgres(pool, { prefix }), { runs: 4 }))
    it.concurrent(name, run, 60_000);
});

import { type StateContractOptions, stateContract } from "allspeak/testing/state";
import { afterAll, beforeAll, it } from "vitest";
import type { RedisConnector } from "../../../src/state/redis/client/connection.ts";
import { contractTimeoutMs } from "../../support/contract-runs.ts";
import { type OnDone, openState, ownPrefix } from "./support.ts";

type Connect = (at: undefined, onDone: OnDone) => Promise<RedisConnector>;

/** The cases of the contract, for a state that reaches its server in one of the ways. */
export function keepContract(
  connect: Connect,
  runs: Pick<StateContractOptions, "runs" | "schedules" | "maxSteps" | "seed"> = {},
): void {
  const prefix = ownPrefix();
  const cleaning: (() => Promise<void> | void)[] = [];
  const onDone = (clean: () => Promise<void> | void) => void cleaning.unshift(clean);
  let connector: RedisConnector;
  beforeAll(async () => {
    connector = await connect(undefined, onDone);
  });
  afterAll(async () => {
    for (const clean of cleaning) await clean();
  });

  const cases = stateContract(() => openState(connector, { prefix }, onDone), {
    ...runs,
    openApart: () => openState(connector, {}, onDone),
    openTrimmed: () => openState(connector, { prefix, maxEvents: 10 }, onDone),
    openLimited: () => openState(connector, { maxTasks: 8, maxEndedTasks: 4 }, onDone),
  });
  for (const { name, run } of cases) it.concurrent(name, run, contractTimeoutMs);
}

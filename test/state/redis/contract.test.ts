import { stateContract } from "allspeak/testing/state";
import { afterAll, beforeAll, describe, it } from "vitest";
import type { RedisConnector } from "../../../src/state/redis/client/connection.ts";
import { connectors, hasRedis, openState, ownPrefix } from "./support.ts";

describe.skipIf(!hasRedis).each(Object.entries(connectors))("Redis, by %s", (_, connect) => {
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
    openApart: () => openState(connector, {}, onDone),
    openTrimmed: () => openState(connector, { prefix, maxEvents: 10 }, onDone),
    openLimited: () => openState(connector, { maxTasks: 8, maxEndedTasks: 4 }, onDone),
  });
  for (const { name, run } of cases) it.concurrent(name, run, 60_000);
});

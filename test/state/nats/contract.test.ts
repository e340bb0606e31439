import { connect, type NatsConnection } from "@nats-io/transport-node";
import { nats } from "allspeak/state/nats";
import { stateContract } from "allspeak/testing/state";
import { afterAll, beforeAll, describe, it } from "vitest";
import { contractRuns, contractTimeoutMs } from "../../support/contract-runs.ts";
import { askJetStream, hasNats, ownPrefix, url } from "./support.ts";

describe.skipIf(!hasNats)("the state in NATS keeps the contract", () => {
  const prefix = ownPrefix();
  const apart = ownPrefix();
  const trimmed = ownPrefix();
  const limited = [ownPrefix(), ownPrefix(), ownPrefix()];
  const cases = stateContract(() => nats(url, { prefix, storage: "memory" }), {
    ...contractRuns,
    openApart: () => nats(url, { prefix: apart, storage: "memory" }),
    openTrimmed: () => nats(url, { prefix: trimmed, storage: "memory", maxEvents: 10 }),
    openLimited: () =>
      nats(url, { prefix: limited.pop() ?? "", storage: "memory", maxTasks: 8, maxEndedTasks: 4 }),
  });
  for (const { name, run } of cases) it.concurrent(name, run, contractTimeoutMs);
});

describe.skipIf(!hasNats)(
  "the state in NATS, over a connection that is handed in, keeps the contract",
  () => {
    const prefix = ownPrefix();
    let connection: NatsConnection;
    beforeAll(async () => {
      connection = await connect({ servers: new URL(url).host });
    });
    afterAll(() => connection.close());
    // Another way to connect, and the other storage; random steps are tried at length above.
    const cases = stateContract(() => nats(connection, { prefix }), { runs: 4 });
    for (const { name, run } of cases) it.concurrent(name, run, 60_000);
  },
);

describe.skipIf(!hasNats)(
  "the state in NATS, read from the leader as in a cluster, keeps the contract",
  () => {
    const prefix = ownPrefix();
    beforeAll(async () => {
      for (const name of ["state", "events", "queue"]) {
        const limits = { max_msgs_per_subject: name === "events" ? 10_000 : 1, num_replicas: 1 };
        const config = {
          name: `${prefix}_${name}`,
          subjects: [`${prefix}.${name}.>`],
          storage: "memory",
          ...limits,
        };
        await askJetStream(`STREAM.CREATE.${config.name}`, config);
      }
    });
    const cases = stateContract(() => nats(url, { prefix }), { runs: 4 });
    for (const { name, run } of cases) it.concurrent(name, run, 60_000);
  },
);

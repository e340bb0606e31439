import { connect, errors, type NatsConnection } from "@nats-io/transport-node";
import { nats } from "allspeak/state/nats";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasNats, ownPrefix, url } from "./support.ts";

const prefix = ownPrefix();
const longMs = 600_000;

/** A connection to a cluster that answers a request only if `isAnswered`: without a leader, nobody does. */
async function connectTo(isAnswered: (subject: string) => boolean): Promise<NatsConnection> {
  const connection = await connect({ servers: new URL(url).host });
  onTestFinished(() => connection.close());
  const request = connection.request.bind(connection);
  connection.request = (subject, ...given) =>
    isAnswered(subject) ? request(subject, ...given) : Promise.reject(new errors.TimeoutError());
  return connection;
}

/** Answers each subject after so many requests that got lost. */
function afterLost(count: number): (subject: string) => boolean {
  const lost = new Map<string, number>();
  return (subject) => {
    const before = lost.get(subject) ?? 0;
    lost.set(subject, before + 1);
    return before >= count;
  };
}

describe.skipIf(!hasNats)("a state in a cluster of NATS that has no leader", () => {
  it("opens and reads once there is one: what got lost is asked again", async () => {
    const isAnswered = afterLost(7);
    const connection = await connectTo((subject) => !subject.startsWith("$JS.API.") || isAnswered(subject));
    const state = nats(connection, { prefix });
    await state.values.put("key", "kept", longMs);
    expect(await state.values.get("key")).toBe("kept");
    expect(await state.durability()).toMatchObject({ level: "store-crash" });
  });

  it("is asked again while it says that it is not available yet", async () => {
    const isAnswered = afterLost(1);
    const connection = await connectTo(() => true);
    const request = connection.request.bind(connection);
    const error = { code: 503, err_code: 10008, description: "JetStream system temporarily unavailable" };
    connection.request = async (subject, ...given) => {
      const answer = await request(subject, ...given);
      if (!subject.startsWith("$JS.API.STREAM.INFO.") || isAnswered(subject)) return answer;
      return Object.create(answer, { data: { value: new TextEncoder().encode(JSON.stringify({ error })) } });
    };
    const state = nats(connection, { prefix });
    expect(await state.durability()).toMatchObject({ level: "store-crash" });
  });

  it("and finds none fails with what is missing", async () => {
    const connection = await connectTo((subject) => !subject.startsWith("$JS.API.STREAM.INFO."));
    const state = nats(connection, { prefix });
    await expect(state.values.get("key")).rejects.toThrow(
      /NATS has not answered \$JS\.API\.STREAM\.INFO\.\S+ within 10 s; if it is a cluster, it may have no leader/,
    );
  });

  it("opens once a leader of the stream receives what is stored", async () => {
    const isReceived = afterLost(20);
    const connection = await connectTo(() => true);
    const request = connection.request.bind(connection);
    connection.request = (subject, ...given) =>
      !subject.endsWith(".clock") || isReceived(subject)
        ? request(subject, ...given)
        : Promise.reject(new errors.NoRespondersError(subject));
    expect(await nats(connection, { prefix }).values.get("none")).toBeUndefined();
  });

  it("stores nothing twice: a write that got no answer is not sent again", async () => {
    let writes = 0;
    const connection = await connectTo((subject) => {
      if (!subject.includes(".counter.")) return true;
      writes++;
      return false;
    });
    const state = nats(connection, { prefix });
    await expect(state.counters.count("key", 1, longMs)).rejects.toThrow(errors.TimeoutError);
    expect(writes).toBe(1);
  });
});

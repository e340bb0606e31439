import { connect } from "@nats-io/transport-node";
import { expect, it, onTestFinished, vi } from "vitest";
import { Connection } from "../../../src/state/nats/jetstream/connection.ts";
import { JetStream } from "../../../src/state/nats/jetstream/jetstream.ts";
import { scan } from "../../../src/state/nats/jetstream/scan.ts";
import { hasNats, url } from "./support.ts";

/** A server that makes a consumer; then `publish` says how it goes on. */
function toJetStream(publish: () => Promise<void>): JetStream {
  const connection = { subscribe: () => () => {}, publish };
  return { api: async () => ({ name: "c", num_pending: 1 }), connection } as unknown as JetStream;
}

const options = { subject: "s", from: 1, limit: 1 };

it("a scan whose connection breaks fails once, and leaves no rejection that nobody handles", async () => {
  vi.useFakeTimers();
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", onUnhandled);
  onTestFinished(() => {
    vi.useRealTimers();
    process.off("unhandledRejection", onUnhandled);
  });
  const lost = toJetStream(() => Promise.reject(new Error("The connection is lost.")));
  await expect(scan(lost, "stream", options)).rejects.toThrow("The connection is lost.");

  let send = () => {};
  const late = toJetStream(() => new Promise((resolve) => (send = resolve)));
  const scanned = expect(scan(late, "stream", options)).rejects.toThrow("stopped in the middle");
  await vi.advanceTimersByTimeAsync(10_000);
  send();
  await scanned;
  vi.useRealTimers();
  // Node reports a rejection after the turn in which nobody has handled it.
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});

/** A stream of three messages, of which some are deleted between the counting of the messages and the reading of them. */
async function openDeleting(name: string, deleted: readonly number[]) {
  const client = await connect({ servers: new URL(url).host });
  const jetstream = new JetStream(new Connection(() => Promise.resolve(client), false));
  onTestFinished(async () => {
    await jetstream.api(`STREAM.DELETE.${name}`);
    await client.close();
  });
  await jetstream.api(`STREAM.CREATE.${name}`, { name, subjects: [`${name}.>`], storage: "memory" });
  for (const text of ["a", "b", "c"]) await jetstream.publish(`${name}.s`, text);
  const counted = jetstream.api.bind(jetstream);
  let isCounted = false;
  jetstream.api = async (...given) => {
    const answer = await counted(...given);
    if (isCounted || !given[0].startsWith("CONSUMER.CREATE")) return answer;
    isCounted = true;
    for (const sequence of deleted) await jetstream.delete(name, sequence);
    return answer;
  };
  return jetstream;
}

it.skipIf(!hasNats).each([
  { deleted: [], left: [1, 2, 3] },
  { deleted: [1], left: [2, 3] },
  { deleted: [2], left: [1, 3] },
  { deleted: [3], left: [1, 2] },
  { deleted: [1, 2, 3], left: [] },
])(
  "a scan finds what is left when $deleted are deleted meanwhile, and never stalls",
  async ({ deleted, left }) => {
    const name = `scan-${deleted.join("")}-${process.pid}`;
    const jetstream = await openDeleting(name, deleted);
    // With these the time in which a scan counts as stalled never passes.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const found = await scan(jetstream, name, { subject: `${name}.s`, from: 1, limit: 10 });
    expect(found.map(({ sequence }) => sequence)).toEqual(left);
    // A stall takes a second.
  },
);

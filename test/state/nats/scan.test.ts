import { expect, it, onTestFinished, vi } from "vitest";
import type { JetStream } from "../../../src/state/nats/jetstream/jetstream.ts";
import { scan } from "../../../src/state/nats/jetstream/scan.ts";

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

import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EventStore, memoryState, streamStart } from "../../../src/http.ts";
import { Heartbeat } from "../../../src/lib/async/heartbeat.ts";
import { EventConnection } from "../../../src/transports/http/server/events/event-connection.ts";
import { EventFeed } from "../../../src/transports/http/server/events/event-feed.ts";
import {
  encodeMessage,
  type StreamMessage,
} from "../../../src/transports/http/server/events/stream-record.ts";
import { StreamWriter } from "../../../src/transports/http/server/events/stream-writer.ts";
import type { EventSink } from "../../../src/transports/http/server/http-interface.ts";

/** A reader that takes one text at a time, when the test says so. */
class HeldSink implements EventSink {
  readonly texts: string[] = [];
  readonly bufferedBytes = 0;
  ended = false;
  #held: (() => void)[] = [];
  slow: boolean;

  constructor(slow: boolean) {
    this.slow = slow;
  }

  write(text: string): void | Promise<void> {
    this.texts.push(text);
    if (this.slow) return new Promise((resolve) => this.#held.push(resolve));
  }

  end(): void {
    this.ended = true;
  }

  take(): void {
    for (const resolve of this.#held.splice(0)) resolve();
  }
}

function createFeed(slow: boolean, isLate = false) {
  const { events } = memoryState();
  const sink = new HeldSink(slow);
  const connection = new EventConnection(sink, new Heartbeat(60_000));
  const store: EventStore = isLate ? toLate(events) : events;
  const source = {
    after: (offset: string, limit: number) => store.after("s", offset, limit),
    toText: ({ text }: StreamMessage) => text,
  };
  const feed = new EventFeed(connection, source, { offset: streamStart });
  const writer = new StreamWriter(store, { stream: "s", ttlMs: 60_000, patienceMs: 0 });
  const say = async (text: string) => {
    const record = encodeMessage(text);
    const { offset, previous } = await writer.write(record);
    if (isLate) await setImmediate();
    await feed.offer({ offset, text: record }, previous);
  };
  return { sink, feed, say, connection };
}

/** A store that takes a turn before it does anything. */
function toLate(events: EventStore): EventStore {
  return {
    append: (...args) => setImmediate().then(() => events.append(...args)),
    after: (...args) => setImmediate().then(() => events.after(...args)),
    holds: (...args) => setImmediate().then(() => events.holds(...args)),
    last: (...args) => setImmediate().then(() => events.last(...args)),
    remove: (...args) => setImmediate().then(() => events.remove(...args)),
    watch: (...args) => events.watch(...args),
  };
}

describe("a feed", () => {
  it("hands over what comes, in order, without waiting for a fast reader", async () => {
    const { sink, say } = createFeed(false);
    await Promise.all(["a", "b", "c"].map(say));
    expect(sink.texts).toEqual(["a", "b", "c"]);
  });

  it("waits for a slow reader, and hands over the rest when there is room", async () => {
    const { sink, say } = createFeed(true);
    const said = Promise.all(["a", "b", "c"].map(say));
    await setImmediate();
    expect(sink.texts).toEqual(["a"]);
    sink.take();
    await setImmediate();
    expect(sink.texts).toEqual(["a", "b"]);
    sink.slow = false;
    sink.take();
    await said;
    expect(sink.texts).toEqual(["a", "b", "c"]);
  });

  it("hands over nothing more when its connection is closed", async () => {
    const { sink, say, connection } = createFeed(true);
    const said = Promise.all(["a", "b"].map(say));
    await setImmediate();
    connection.drop();
    sink.take();
    await said;
    expect(sink.texts).toEqual(["a"]);
  });

  it("loses, doubles and reorders nothing, whoever is slow and whenever", async () => {
    const steps = fc.array(fc.constantFrom("say", "take", "slow", "fast", "turn"), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (script, isLate) => {
        const { sink, say } = createFeed(false, isLate);
        const said: Promise<void>[] = [];
        for (const step of script) {
          if (step === "say") said.push(say(String(said.length)));
          else if (step === "take") sink.take();
          else if (step === "turn") await setImmediate();
          else sink.slow = step === "slow";
        }
        sink.slow = false;
        const all = Promise.all(said);
        let done = false;
        void all.then(() => {
          done = true;
        });
        while (!done) {
          sink.take();
          await setImmediate();
        }
        expect(sink.texts).toEqual(said.map((_, at) => String(at)));
      }),
      { numRuns: 400 },
    );
  });
});

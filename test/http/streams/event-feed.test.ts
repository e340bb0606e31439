import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryState, type StoredEvent } from "../../../src/http.ts";
import { Heartbeat } from "../../../src/lib/async/heartbeat.ts";
import { EventConnection } from "../../../src/transports/http/server/events/event-connection.ts";
import { EventFeed } from "../../../src/transports/http/server/events/event-feed.ts";
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
  const source = {
    after: async (sequence: number) => {
      if (isLate) await setImmediate();
      return events.after("s", sequence);
    },
    toText: ({ text }: StoredEvent) => text,
  };
  const feed = new EventFeed(connection, source, 0);
  const say = async (text: string) => {
    const sequence = await events.append("s", text);
    if (isLate) await setImmediate();
    await feed.offer({ sequence, text });
  };
  return { sink, feed, say, connection };
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

import type { State } from "allspeak/http";
import { afterEach, describe, expect, it, vi } from "vitest";
import { askJetStream, hasNats, messagesIn, openState, ownPrefix } from "./support.ts";

const longMs = 600_000;
const text = "x".repeat(3 * 1024 ** 2);

async function fill({ sessions, values, counters, events, tasks }: State, ttlMs: number): Promise<void> {
  const client = { info: { name: "raw", version: "1" }, capabilities: {} };
  const session = {
    owner: "",
    revision: "",
    client,
    ready: true,
    logLevel: undefined,
    lists: [],
    subscriptions: [],
  };
  await sessions.create({ ...session, id: "session", read: "0" }, ttlMs);
  await values.put("value", "x", ttlMs);
  await values.put("long value", text, ttlMs);
  await counters.count("counter", 1, ttlMs);
  await events.append("stream", ["x", "y"], ttlMs);
  await events.append("long stream", [text], ttlMs);
  const task = { id: "task", queue: "q", owner: "a", lister: "a", pollIntervalMs: 1, work: {} };
  await tasks.create({ ...task, ttlMs }, 10);
}

describe.skipIf(!hasNats)("what has expired in NATS", () => {
  const prefix = ownPrefix();

  it("is deleted by a sweep, and what has not stays", async () => {
    const state = openState({ prefix, sweepMs: 20 });
    await state.values.put("kept", text, longMs);
    await state.events.append("kept", ["x"], longMs);
    await fill(state, 1);
    const counts = async () =>
      Promise.all(["state", "events", "queue"].map((name) => messagesIn(`${prefix}_${name}`)));
    // The parts of long texts stay for a minute; beside them are the kept value and its parts, the clock, and the sweep.
    const [parts, eventParts] = [3, 4];
    for (;;) {
      // A state that nobody uses sweeps nothing.
      await state.values.get("kept");
      const [inState = 0, inEvents = 0, inQueue = 0] = await counts();
      if (inState <= 3 + 2 * (parts + 1) && inEvents <= 1 + eventParts && inQueue === 0) break;
    }
    expect(await state.values.get("kept")).toBe(text);
    expect(await state.events.after("kept", "0")).toHaveLength(1);
    expect(await state.values.get("value")).toBeUndefined();
  });
});

describe.skipIf(!hasNats)("a stream of events in NATS", () => {
  it("loses its oldest events when it has too many bytes", async () => {
    const { events } = openState({ maxStreamBytes: 10_000 });
    let kept = 0;
    for (let appended = 0; appended < 40 || kept >= appended; appended++) {
      await events.append("stream", [`${appended} ${"x".repeat(1_000)}`], longMs);
      kept = (await events.after("stream", "0"))?.length ?? 0;
    }
    expect(kept).toBeGreaterThan(0);
    expect((await events.after("stream", "0"))?.at(-1)?.text).toMatch(/^\d+ x/);
  });

  it("does not bring back the events of a stream that had expired", async () => {
    const { events } = openState();
    await events.append("stream", ["old", "older"], 1);
    await events.append("stream", ["old too"], 1);
    while ((await events.last("stream")) !== "0");
    await events.append("stream", ["new"], longMs);
    await events.append("stream", ["newer"], longMs);
    await events.append("stream", ["newest"], longMs);
    const texts = (await events.after("stream", "0"))?.map(({ text: each }) => each);
    expect(texts).toEqual(["new", "newer", "newest"]);
  });
});

describe.skipIf(!hasNats)("a node whose clock is wrong", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const prefix = ownPrefix();

  it("sees what others stored, and stores for as long as it says", async () => {
    const right = openState({ prefix });
    await right.values.put("right", "x", longMs);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 24 * 60 * 60_000 });
    const wrong = openState({ prefix });
    expect(await wrong.values.get("right")).toBe("x");
    await wrong.values.put("wrong", "y", 1);
    while ((await right.values.get("wrong")) !== undefined);
  });
});

describe.skipIf(!hasNats)("the durability of NATS", () => {
  const prefix = ownPrefix();

  it("is read from the streams, with a warning where it is less than asked for", async () => {
    expect(await openState().durability()).toEqual({ level: "store-crash", warnings: [] });
    const { level, warnings } = await openState({ storage: "memory" }).durability();
    expect(level).toBe("node-crash");
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/in the memory of NATS.*set the option storage to "file"/);
    const strict = await openState({ durability: "machine-loss" }).durability();
    expect(strict.level).toBe("store-crash");
    expect(strict.warnings).toHaveLength(2);
    expect(strict.warnings.join()).toMatch(/sync_interval: always.*replicas to 3/);
  });

  it("takes a new limit of events for streams that exist", async () => {
    await openState({ prefix }).events.append("a", ["x"], longMs);
    await openState({ prefix, maxEvents: 5 }).events.append("a", ["x"], longMs);
    const { config } = await askJetStream(`STREAM.INFO.${prefix}_events`);
    expect(config).toMatchObject({ max_msgs_per_subject: 5 });
  });
});

import type { State, StoredSession } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { describeTaskModel } from "./task-model.ts";
import { describeTasks } from "./tasks.ts";

const session: StoredSession = {
  id: "s1",
  owner: '["https://issuer.example","alice",null]',
  revision: "2025-11-25",
  client: { info: { name: "raw", version: "1" }, capabilities: { sampling: {} } },
  ready: false,
  logLevel: undefined,
  lists: ["tools"],
  subscriptions: [],
};

/** What every state must do, wherever it keeps things. */
export function describeState(name: string, create: () => State | Promise<State>): void {
  describe(`${name} state`, () => {
    describeSessions(create);
    describeEvents(create);
    describeValues(create);
    describeCounters(create);
    describeTasks(create);
    describeTaskModel(create);
  });
}

function describeSessions(create: () => State | Promise<State>): void {
  describe("sessions", () => {
    it("finds what was put, with all its members", async () => {
      const { sessions } = await create();
      await sessions.put(session);
      expect(await sessions.find("s1")).toEqual(session);
    });

    it("finds what was put last", async () => {
      const { sessions } = await create();
      await sessions.put(session);
      const changed = { ...session, ready: true, logLevel: "error", subscriptions: ["a:1", "a:2"] } as const;
      await sessions.put(changed);
      expect(await sessions.find("s1")).toEqual(changed);
    });

    it("keeps sessions apart", async () => {
      const { sessions } = await create();
      await sessions.put(session);
      await sessions.put({ ...session, id: "s2", owner: "" });
      await sessions.remove("s1");
      expect(await sessions.find("s1")).toBeUndefined();
      expect(await sessions.find("s2")).toMatchObject({ id: "s2", owner: "" });
    });

    it("finds nothing under an id that was never put, or that names a member of every object", async () => {
      const { sessions } = await create();
      for (const id of ["", "s1", "__proto__", "constructor", "toString"]) {
        expect(await sessions.find(id)).toBeUndefined();
      }
    });

    it("may be told twice to remove", async () => {
      const { sessions } = await create();
      await sessions.put(session);
      await sessions.remove("s1");
      await sessions.remove("s1");
      await sessions.remove("never");
      expect(await sessions.find("s1")).toBeUndefined();
    });
  });
}

function describeEvents(create: () => State | Promise<State>): void {
  describe("events", () => {
    it("are numbered one by one from one, in each stream", async () => {
      const { events } = await create();
      expect([await events.append("a", "x"), await events.append("a", "y")]).toEqual([1, 2]);
      expect([await events.append("b", "x"), await events.append("a", "z")]).toEqual([1, 3]);
    });

    it("come back in order, from after the number that is named", async () => {
      const { events } = await create();
      for (const text of ["one", "two", "three"]) await events.append("a", text);
      expect(await events.after("a", 0)).toEqual([
        { sequence: 1, text: "one" },
        { sequence: 2, text: "two" },
        { sequence: 3, text: "three" },
      ]);
      expect(await events.after("a", 2)).toEqual([{ sequence: 3, text: "three" }]);
      expect(await events.after("a", 3)).toEqual([]);
    });

    it("come back as they were, whatever they say", async () => {
      const { events } = await create();
      const texts = ["", "\n\r\0", "\u2028😀", '{"a":"\\ud800"}', "x".repeat(100_000)];
      for (const text of texts) await events.append("a", text);
      expect((await events.after("a", 0))?.map(({ text }) => text)).toEqual(texts);
    });

    it("are unknown beyond the last; a stream without events is at its beginning", async () => {
      const { events } = await create();
      expect(await events.after("a", 0)).toEqual([]);
      expect(await events.after("a", 1)).toBeUndefined();
      await events.append("a", "x");
      expect(await events.after("a", 2)).toBeUndefined();
    });

    it("are gone with their stream, and only with theirs", async () => {
      const { events } = await create();
      await events.append("a", "x");
      await events.append("b", "y");
      await events.remove("a");
      await events.remove("a");
      expect(await events.after("a", 1)).toBeUndefined();
      expect(await events.after("b", 0)).toEqual([{ sequence: 1, text: "y" }]);
      expect(await events.append("a", "again")).toBe(1);
    });

    it("all get a number of their own, also when many are appended at once", async () => {
      const { events } = await create();
      const numbers = await Promise.all(
        Array.from({ length: 200 }, (_, at) => events.append("a", String(at))),
      );
      expect(new Set(numbers).size).toBe(200);
      const kept = (await events.after("a", 0)) ?? [];
      expect(kept.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 200 }, (_, at) => at + 1));
      for (const { sequence, text } of kept) expect(numbers[Number(text)]).toBe(sequence);
    });
  });
}

/** Longer than any test takes. */
const longMs = 60_000;

function describeValues(create: () => State | Promise<State>): void {
  describe("values", () => {
    it("come back as they were, under any key", async () => {
      const { values } = await create();
      for (const key of ["a", "", "__proto__", "a b\n😀", "x".repeat(500)]) {
        expect(await values.get(key)).toBeUndefined();
        await values.put(key, `${key}\0\u2028`, longMs);
        expect(await values.get(key)).toBe(`${key}\0\u2028`);
      }
    });

    it("are replaced by put and kept by add", async () => {
      const { values } = await create();
      expect(await values.add("a", "one", longMs)).toBe(true);
      expect(await values.add("a", "two", longMs)).toBe(false);
      expect(await values.get("a")).toBe("one");
      await values.put("a", "three", longMs);
      expect(await values.get("a")).toBe("three");
    });

    it("are added, and removed, by one of many at once", async () => {
      const { values } = await create();
      const fifty = Array.from({ length: 50 });
      const added = await Promise.all(fifty.map((_, at) => values.add("a", String(at), longMs)));
      expect(added.filter(Boolean)).toHaveLength(1);
      const removed = await Promise.all(fifty.map(() => values.remove("a")));
      expect(removed.filter(Boolean)).toHaveLength(1);
      expect(await values.get("a")).toBeUndefined();
    });

    it("are forgotten after their time, and can be added again", async () => {
      const { values } = await create();
      await values.put("a", "short", 1);
      await values.put("b", "long", longMs);
      await expect.poll(() => values.get("a")).toBeUndefined();
      expect(await values.remove("a")).toBe(false);
      expect(await values.add("a", "again", longMs)).toBe(true);
      expect(await values.get("b")).toBe("long");
    });
  });
}

function describeCounters(create: () => State | Promise<State>): void {
  describe("counters", () => {
    it("count by what they are told, each for itself", async () => {
      const { counters } = await create();
      expect((await counters.count("a", 1, longMs)).count).toBe(1);
      expect((await counters.count("a", 5, longMs)).count).toBe(6);
      expect((await counters.count("__proto__", 2, longMs)).count).toBe(2);
    });

    it("lose nothing when many count at once", async () => {
      const { counters } = await create();
      const counts = await Promise.all(Array.from({ length: 100 }, () => counters.count("a", 1, longMs)));
      expect(counts.map(({ count }) => count).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 100 }, (_, at) => at + 1),
      );
    });

    it("begin again after their window, which counting does not lengthen", async () => {
      const { counters } = await create();
      const first = await counters.count("a", 10, 50);
      expect(first.resetsInMs).toBeLessThanOrEqual(50);
      await expect.poll(async () => (await counters.count("a", 1, 50)).count).toBe(1);
    });
  });
}

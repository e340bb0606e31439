import { equal, ok } from "node:assert/strict";
import { eventually, longMs, type Promised, same, upTo } from "./contract-case.ts";
import { oddTexts } from "./odd-text.ts";

export const valueCases: readonly Promised[] = [
  {
    name: "a value comes back as it was, on every node, under any key",
    async run({ nodes: [a, b], key }) {
      const keys = [...oddTexts.map(key), key("x".repeat(900)), key("y".repeat(900))];
      for (const one of keys) equal(await b.values.get(one), undefined);
      for (const one of keys) await a.values.put(one, `${one}\0\u2028`, longMs);
      for (const one of keys) equal(await b.values.get(one), `${one}\0\u2028`);
    },
  },
  {
    name: "a value is replaced by put and kept by add",
    async run({ nodes: [a, b], key }) {
      equal(await a.values.add(key(), "one", longMs), true);
      equal(await b.values.add(key(), "two", longMs), false);
      equal(await b.values.get(key()), "one");
      await b.values.put(key(), "three", longMs);
      equal(await a.values.get(key()), "three");
    },
  },
  {
    name: "a value is added by one of many at once, and removed by one of many",
    async run({ nodes, key }) {
      const added = await Promise.all(
        upTo(50).map((at) => nodes[at % 2]?.values.add(key(), String(at), longMs)),
      );
      equal(added.filter(Boolean).length, 1);
      equal(await nodes[0].values.get(key()), String(added.indexOf(true)));
      const removed = await Promise.all(upTo(50).map((at) => nodes[at % 2]?.values.remove(key())));
      equal(removed.filter(Boolean).length, 1);
      equal(await nodes[1].values.get(key()), undefined);
    },
  },
  {
    name: "a value is gone after its time, and can be added again; put renews it, add does not",
    async run({ nodes: [a, b], key }) {
      await a.values.put(key("brief"), "x", 50);
      await a.values.put(key("kept"), "x", 1000);
      await b.values.add(key("kept"), "y", longMs);
      await a.values.put(key("renewed"), "x", 1000);
      await b.values.put(key("renewed"), "y", longMs);
      // The clocks of nodes may differ a little.
      for (const node of [a, b])
        await eventually("expiry", async () => (await node.values.get(key("brief"))) === undefined);
      equal(await a.values.remove(key("brief")), false);
      equal(await a.values.add(key("brief"), "again", longMs), true);
      await eventually("expiry", async () => (await a.values.get(key("kept"))) === undefined);
      equal(await a.values.get(key("renewed")), "y");
    },
  },
  {
    name: "a spent nonce that has expired can be spent once more, by one of many",
    async run({ nodes, key }) {
      ok(await nodes[0].values.add(key(), "", 50));
      const outcomes: (boolean | undefined)[] = [];
      await eventually("expiry", async () => {
        outcomes.push(
          ...(await Promise.all(upTo(10).map((at) => nodes[at % 2]?.values.add(key(), "", longMs)))),
        );
        return outcomes.includes(true);
      });
      equal(outcomes.filter(Boolean).length, 1);
    },
  },
];

export const counterCases: readonly Promised[] = [
  {
    name: "a counter counts by what it is told, on every node, under any key",
    async run({ nodes: [a, b], key }) {
      equal((await a.counters.count(key(), 1, longMs)).count, 1);
      equal((await b.counters.count(key(), 5, longMs)).count, 6);
      for (const one of oddTexts.map((text) => key(`odd ${text}`)))
        equal((await a.counters.count(one, 2, longMs)).count, 2);
    },
  },
  {
    name: "a counter loses nothing when many count at once",
    async run({ nodes, key }) {
      const counts = await Promise.all(
        upTo(100).map((at) => nodes[at % 2]?.counters.count(key(), 1, longMs)),
      );
      const sorted = counts.map((value) => value?.count ?? 0).sort((one, other) => one - other);
      same(
        sorted,
        upTo(100).map((at) => at + 1),
      );
    },
  },
  {
    name: "a counter begins again after its window, which counting does not lengthen",
    async run({ nodes: [a, b], key }) {
      const windowMs = 300;
      const first = await a.counters.count(key(), 1000, windowMs);
      ok(first.resetsInMs > 0 && first.resetsInMs <= windowMs, `resetsInMs was ${first.resetsInMs}`);
      const later = await b.counters.count(key(), 1, windowMs);
      ok(later.resetsInMs <= windowMs, `resetsInMs was ${later.resetsInMs}`);
      await eventually("a new window", async () => (await b.counters.count(key(), 1, windowMs)).count < 1000);
    },
  },
  {
    name: "counters and values under the same key know nothing of each other",
    async run({ nodes: [a, b], key }) {
      await a.values.put(key(), "text", longMs);
      equal((await b.counters.count(key(), 3, longMs)).count, 3);
      equal(await b.values.get(key()), "text");
      await a.events.append(key(), ["event"], longMs);
      equal(await b.values.remove(key()), true);
      equal((await a.counters.count(key(), 1, longMs)).count, 4);
      equal((await b.events.after(key(), "0"))?.length, 1);
    },
  },
];

import { equal, match, notEqual, ok } from "node:assert/strict";
import { type StoredEvent, streamStart } from "../../state/state.ts";
import { eventually, longMs, type Promised, same, upTo } from "./contract-case.ts";
import { oddTexts } from "./odd-text.ts";

export function textsOf(events: readonly StoredEvent[] | undefined): string[] | undefined {
  return events?.map(({ text }) => text);
}

export const eventCases: readonly Promised[] = [
  {
    name: "events come back in order on every node, after the offset that is named, as many as are wanted",
    async run({ nodes: [a, b], key }) {
      const stream = key();
      const one = await a.events.append(stream, ["one"], longMs);
      const three = await b.events.append(stream, ["two", "three"], longMs);
      same(textsOf(await a.events.after(stream, streamStart)), ["one", "two", "three"]);
      same(textsOf(await b.events.after(stream, streamStart, 2)), ["one", "two"]);
      const rest = await b.events.after(stream, one);
      same(textsOf(rest), ["two", "three"]);
      same(textsOf(await a.events.after(stream, rest?.[0]?.offset ?? "", 10)), ["three"]);
      equal(rest?.[1]?.offset, three);
      same(await a.events.after(stream, three), []);
      equal(await a.events.last(stream), three);
    },
  },
  {
    name: "a stream holds the events that it has, on every node, and no others",
    async run({ nodes: [a, b], key }) {
      const one = await a.events.append(key(), ["one"], longMs);
      await a.events.append(key(), ["two", "three"], longMs);
      for (const { offset } of (await a.events.after(key(), streamStart)) ?? [])
        equal(await b.events.holds(key(), offset), true);
      equal(await b.events.holds(key("other"), one), false);
      for (const offset of ["9".repeat(15), "99999999999999.9", "", "x", "-1", "1 or 1=1", "9".repeat(65)])
        equal(await b.events.holds(key(), offset), false, JSON.stringify(offset));
      equal(await b.events.holds(key(), streamStart), true);
      await a.events.remove(key());
      equal(await b.events.holds(key(), one), false);
      equal(await b.events.holds(key(), streamStart), true);
    },
  },
  {
    name: "offsets have 1 to 64 characters of A-Z a-z 0-9 _ . and are never the start",
    async run({ nodes: [a], key }) {
      for (const at of upTo(3)) {
        const offset = await a.events.append(key(), [`${at}`], longMs);
        match(offset, /^[A-Za-z0-9_.]{1,64}$/);
        notEqual(offset, streamStart);
      }
    },
  },
  {
    name: "events come back as they were, whatever they say",
    async run({ nodes: [a, b], key }) {
      const texts = [...oddTexts, '{"a":"\\ud800"}', "x".repeat(100_000)];
      await a.events.append(key(), texts, longMs);
      same(textsOf(await b.events.after(key(), streamStart)), texts);
    },
  },
  {
    name: "a stream without events is at its start, and knows no other offset",
    async run({ nodes: [a], key }) {
      same(await a.events.after(key(), streamStart), []);
      equal(await a.events.last(key()), streamStart);
      for (const offset of ["1", "999999999999", "1700000000000.0"])
        equal(await a.events.after(key(), offset), undefined);
    },
  },
  {
    name: "an offset that a stream has not got to, or that is none, is unknown",
    async run({ nodes: [a, b], key }) {
      await a.events.append(key(), ["one"], longMs);
      const greater = ["9".repeat(15), "99999999999999.9", `${"9".repeat(18)}`];
      const malformed = ["", "-1", "x", "1 or 1=1", "+", "$", "1-1", "∞", "0x1", "9".repeat(65), "1.2.3"];
      for (const offset of [...greater, ...malformed])
        equal(await b.events.after(key(), offset), undefined, JSON.stringify(offset));
    },
  },
  {
    name: "texts that are appended together stand together, whoever appends beside them",
    async run({ nodes, key }) {
      const batches = upTo(40).map((at) => upTo(5).map((part) => `${at} ${part}`));
      const offsets = await Promise.all(
        batches.map((texts, at) => nodes[at % 2]?.events.append(key(), texts, longMs)),
      );
      const stored = (await nodes[0].events.after(key(), streamStart)) ?? [];
      equal(new Set(stored.map(({ offset }) => offset)).size, 200);
      const groups = upTo(40).map((group) => stored.slice(group * 5, group * 5 + 5));
      for (const group of groups) {
        const batch = Number(group[0]?.text.split(" ")[0]);
        same(textsOf(group), batches[batch]);
        equal(group[4]?.offset, offsets[batch]);
      }
      same(await nodes[1].events.after(key(), streamStart), stored);
    },
  },
  {
    name: "texts that one node appends one after another come in this order among those of others",
    async run({ nodes: [a, b], key }) {
      const write = async (node: typeof a, name: string) => {
        for (const at of upTo(25)) await node.events.append(key(), [`${name} ${at}`], longMs);
      };
      await Promise.all([write(a, "a"), write(b, "b"), write(a, "c")]);
      const texts = textsOf(await b.events.after(key(), streamStart)) ?? [];
      for (const name of ["a", "b", "c"])
        same(
          texts.filter((text) => text.startsWith(name)),
          upTo(25).map((at) => `${name} ${at}`),
        );
    },
  },
  {
    name: "a reader that goes on from each offset misses nothing and reads nothing twice while others append",
    async run({ nodes: [a, b], key }) {
      const count = 100;
      const read: string[] = [];
      const appending = Promise.all(
        upTo(count).map((at) => (at % 2 ? a : b).events.append(key(), [`${at}`], longMs)),
      );
      let offset = streamStart;
      await eventually("all events", async () => {
        for (const event of (await b.events.after(key(), offset, 7)) ?? []) {
          read.push(event.text);
          offset = event.offset;
        }
        return read.length >= count;
      });
      await appending;
      same(read, textsOf(await a.events.after(key(), streamStart)));
    },
  },
  {
    name: "a stream is removed alone, and begins again with other offsets",
    async run({ nodes: [a, b], key }) {
      const old = await a.events.append(key("one"), ["x", "y"], longMs);
      await a.events.append(key("other"), ["z"], longMs);
      await b.events.remove(key("one"));
      await a.events.remove(key("one"));
      equal(await a.events.after(key("one"), old), undefined);
      equal(await b.events.last(key("one")), streamStart);
      same(textsOf(await b.events.after(key("other"), streamStart)), ["z"]);
      const first = await b.events.append(key("one"), ["again"], longMs);
      notEqual(first, old);
      same(textsOf(await a.events.after(key("one"), old)), ["again"]);
    },
  },
  {
    name: "a stream expires after its last append, as a whole",
    async run({ nodes: [a, b], key }) {
      const last = await a.events.append(key("brief"), ["x"], 50);
      await a.events.append(key("renewed"), ["x"], 1000);
      await b.events.append(key("renewed"), ["y"], longMs);
      await a.events.append(key("witness"), ["x"], 1000);
      // The clocks of nodes may differ a little.
      for (const node of [a, b])
        await eventually("expiry", async () => (await node.events.after(key("brief"), last)) === undefined);
      same(await b.events.after(key("brief"), streamStart), []);
      equal(await a.events.last(key("brief")), streamStart);
      await eventually("expiry", async () => (await b.events.last(key("witness"))) === streamStart);
      same(textsOf(await b.events.after(key("renewed"), streamStart)), ["x", "y"]);
    },
  },
  {
    name: "those who watch a stream get a hint when any node appends to it, until they stop",
    async run({ nodes: [a, b], key }) {
      const hints = { first: 0, second: 0, other: 0 };
      const stopFirst = b.events.watch(key(), () => hints.first++);
      const stopSecond = b.events.watch(key(), () => hints.second++);
      const stopOther = b.events.watch(key("other"), () => hints.other++);
      const untilHint = (name: "first" | "second", more: number) =>
        eventually("a hint", async () => {
          await a.events.append(key(), ["x"], longMs);
          return hints[name] >= more;
        });
      await untilHint("first", 1);
      await untilHint("second", 1);
      stopFirst();
      const stoppedAt = hints.first;
      await untilHint("second", hints.second + 2);
      equal(hints.first, stoppedAt);
      stopSecond();
      stopSecond();
      ok(hints.other <= 1, "A stream that nobody appended to gave hints.");
      stopOther();
    },
  },
  {
    name: "a stream may have any name, and no name stands for another",
    async run({ nodes: [a, b], key }) {
      const streams = [...oddTexts.map(key), key("x".repeat(900)), key("y".repeat(900))];
      for (const stream of streams) await a.events.append(stream, [stream], longMs);
      for (const stream of streams) same(textsOf(await b.events.after(stream, streamStart)), [stream]);
    },
  },
];

import { equal, notEqual, ok } from "node:assert/strict";
import { type StoredEvent, type StoredSession, streamStart } from "../../../state/state.ts";
import { longMs, same } from "../contract-case.ts";
import { textsOf } from "../event-cases.ts";
import { toSession } from "../session-cases.ts";
import { type FastCheck, type Fuzzed, type ModelStep, toCommand } from "./fast-check.ts";

interface Draw {
  readonly does: string;
  readonly name: string;
  readonly text: string;
  readonly count: number;
  readonly node: 0 | 1;
}

/** A property over a list of steps, each made from what was drawn. */
function toModelProperty<Model extends object>(
  createModel: () => Model,
  verbs: readonly string[],
  toStep: (draw: Draw) => ModelStep<Model>,
): Fuzzed["toProperty"] {
  return (fc: FastCheck, newScope, maxSteps) => {
    const draw = fc.record({
      does: fc.constantFrom(...verbs),
      name: fc.constantFrom("a", "b", "a/b"),
      text: fc.string({ unit: "binary", maxLength: 20 }),
      count: fc.integer({ min: 1, max: 5 }),
      node: fc.constantFrom(0 as const, 1 as const),
    });
    const command = draw.map((drawn) => toCommand(toStep(drawn)));
    return fc.asyncProperty(
      fc.commands([command], { maxCommands: maxSteps, size: "max" }),
      async (commands) => {
        await fc.asyncModelRun(() => ({ model: createModel(), real: newScope() }), commands);
      },
    );
  };
}

interface Kept {
  readonly values: Map<string, string>;
  readonly counts: Map<string, number>;
}

export const valueModel: Fuzzed = {
  name: "values and counters are what a map of them would be, whatever two nodes do one after another",
  toProperty: toModelProperty<Kept>(
    () => ({ values: new Map(), counts: new Map() }),
    ["add", "put", "get", "remove", "count"],
    ({ does, name, text, count, node }) => ({
      text: `${does}(${name}, ${JSON.stringify(text)}) on node ${node}`,
      async run({ values, counts }, { nodes, key }) {
        const known = values.get(name);
        const { values: store, counters } = nodes[node];
        if (does === "get") equal(await store.get(key(name)), known);
        else if (does === "remove") {
          equal(await store.remove(key(name)), values.delete(name));
        } else if (does === "count") {
          counts.set(name, (counts.get(name) ?? 0) + count);
          equal((await counters.count(key(name), count, longMs)).count, counts.get(name));
        } else {
          if (does === "put") await store.put(key(name), text, longMs);
          else equal(await store.add(key(name), text, longMs), known === undefined);
          if (does === "put" || known === undefined) values.set(name, text);
        }
      },
    }),
  ),
};

interface KeptStreams {
  readonly streams: Map<string, StoredEvent[]>;
  /** Every offset that was ever given. */
  readonly offsets: Set<string>;
}

export const eventModel: Fuzzed = {
  name: "streams are what lists of their events would be, whatever two nodes do one after another",
  toProperty: toModelProperty<KeptStreams>(
    () => ({ streams: new Map(), offsets: new Set() }),
    ["append", "append", "append", "after", "last", "remove"],
    ({ does, name, text, count, node }) => ({
      text: `${does}(${name}, ${JSON.stringify(text)} × ${count}) on node ${node}`,
      async run({ streams, offsets }, { nodes, key }) {
        const { events } = nodes[node];
        const known = streams.get(name) ?? [];
        if (does === "append") {
          const texts = Array.from({ length: count }, (_, at) => `${text}${at}`);
          const offset = await events.append(key(name), texts, longMs);
          const added =
            (await nodes[1 - node]?.events.after(key(name), known.at(-1)?.offset ?? streamStart)) ?? [];
          same(textsOf(added), texts);
          equal(added.at(-1)?.offset, offset);
          const places = added.map((event) => `${name} ${event.offset}`);
          ok(!places.some((place) => offsets.has(place)), "An offset came twice.");
          for (const place of places) offsets.add(place);
          streams.set(name, [...known, ...added]);
        } else if (does === "after") {
          const at = Math.min(count, known.length);
          const offset = known[at - 1]?.offset ?? streamStart;
          same(await events.after(key(name), offset, 2), known.slice(at, at + 2));
        } else if (does === "last") equal(await events.last(key(name)), known.at(-1)?.offset ?? streamStart);
        else {
          await events.remove(key(name));
          streams.delete(name);
        }
      },
    }),
  ),
};

interface KeptSessions {
  readonly sessions: Map<string, { readonly session: StoredSession; readonly version: string }>;
  /** A version that was read some time ago, by session. */
  readonly read: Map<string, string>;
}

export const sessionModel: Fuzzed = {
  name: "sessions are what a map of them would be, whatever two nodes do one after another",
  toProperty: toModelProperty<KeptSessions>(
    () => ({ sessions: new Map(), read: new Map() }),
    ["create", "touch", "read", "replace", "replace", "remove"],
    ({ does, name, text, node }) => ({
      text: `${does}(${name}, ${JSON.stringify(text)}) on node ${node}`,
      async run({ sessions, read }, { nodes, key }) {
        const { sessions: store } = nodes[node];
        const known = sessions.get(name);
        const session = { ...toSession(key(name)), owner: text };
        if (does === "create") {
          const version = await store.create(session, longMs);
          equal(version === undefined, known !== undefined);
          if (version !== undefined) sessions.set(name, { session, version });
        } else if (does === "replace") {
          const version = await store.replace(session, read.get(name) ?? "never", longMs);
          equal(version !== undefined, known !== undefined && read.get(name) === known.version);
          if (version === undefined) return;
          notEqual(version, known?.version);
          sessions.set(name, { session, version });
        } else if (does === "remove") equal(await store.remove(key(name)), sessions.delete(name));
        else {
          same(await store.touch(key(name), longMs), known);
          if (does === "read" && known) read.set(name, known.version);
        }
      },
    }),
  ),
};

import { equal, ok } from "node:assert/strict";
import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import { durabilityLevels } from "../../state/durability.ts";
import { type State, streamStart } from "../../state/state.ts";
import { longMs, type Promised, same, upTo } from "./contract-case.ts";
import { textsOf } from "./event-cases.ts";
import { claimNext, many, toTask } from "./new-task.ts";
import { toSession } from "./session-cases.ts";

const mebibyte = 1024 ** 2;

/** Promises of the state as a whole. */
export const wholeCases: readonly Promised[] = [
  {
    name: "values, events and tasks may be large",
    async run(scope) {
      const [a, b] = scope.nodes;
      const text = "x".repeat(4 * mebibyte);
      await a.values.put(scope.key(), text, longMs);
      ok((await b.values.get(scope.key())) === text);
      const offset = await a.events.append(scope.key(), [text], longMs);
      const [event] = (await b.events.after(scope.key(), streamStart)) ?? [];
      ok(event?.text === text && event.offset === offset);
      const result = { text: text.slice(0, mebibyte) };
      await a.tasks.create(toTask(scope, "large", { work: result }), many);
      await b.tasks.save(await claimNext(scope, b), { ended: { status: "completed", result } });
      ok((await a.tasks.get(scope.key("large")))?.result?.text === result.text);
    },
  },
  {
    name: "a state tells what it promises, in words that are known",
    async run({ nodes: [a] }) {
      const { level, warnings } = await a.durability();
      ok(durabilityLevels.includes(level), `unknown level ${level}`);
      for (const warning of warnings) ok(warning.length > 20, "A warning says what is wrong and what to do.");
    },
  },
  {
    name: "a state can be closed twice, and leaves what it stored to the others",
    async run({ nodes: [a, b], key }) {
      await a.values.put(key(), "kept", longMs);
      a.events.watch(key(), () => {});
      await a.close();
      await a.close();
      equal(await b.values.get(key()), "kept");
      await b.values.put(key(), "changed", longMs);
      equal(await b.values.get(key()), "changed");
    },
  },
];

/** The promise that two prefixes of one store share nothing. */
export function toApartCase(openApart: () => MaybePromise<State>): Promised {
  return {
    name: "a state with another prefix in the same store knows nothing of this one",
    async run(scope) {
      const [a] = scope.nodes;
      const { key } = scope;
      const apart = await openApart();
      await a.values.put(key(), "x", longMs);
      await a.counters.count(key(), 5, longMs);
      await a.sessions.create(toSession(key()), longMs);
      await a.events.append(key(), ["x"], longMs);
      await a.tasks.create(toTask(scope, "one"), 1);
      equal(await apart.values.get(key()), undefined);
      equal((await apart.counters.count(key(), 1, longMs)).count, 1);
      equal(await apart.sessions.touch(key(), longMs), undefined);
      equal(await apart.events.last(key()), streamStart);
      equal(await apart.tasks.get(key("one")), undefined);
      equal(await apart.tasks.claim(key("queue"), longMs), undefined);
      ok(await apart.tasks.create(toTask(scope, "one"), 1));
      await apart.close();
    },
  };
}

/** The promise of a state that keeps at most 10 events of each stream, or somewhat more. */
export function toTrimmedCase(openTrimmed: () => MaybePromise<State>): Promised {
  return {
    name: "a stream that is too long loses its oldest events; the offsets of the lost ones stay known, and that they are lost",
    async run({ key }) {
      const trimmed = await openTrimmed();
      const first = await trimmed.events.append(key(), ["first"], longMs);
      for (const batch of upTo(20)) {
        const texts = upTo(50).map((at) => `${batch * 50 + at}`);
        await trimmed.events.append(key(), texts, longMs);
      }
      const kept = textsOf(await trimmed.events.after(key(), streamStart)) ?? [];
      ok(kept.length >= 1 && kept.length <= 500, `${kept.length} events were kept`);
      same(
        kept,
        upTo(1000)
          .map(String)
          .slice(1000 - kept.length),
      );
      same(textsOf(await trimmed.events.after(key(), first)), kept);
      equal(await trimmed.events.holds(key(), first), false);
      for (const { offset } of (await trimmed.events.after(key(), streamStart)) ?? [])
        equal(await trimmed.events.holds(key(), offset), true);
      await trimmed.close();
    },
  };
}

import { equal, ok } from "node:assert/strict";
import { streamStart } from "../../../state/state.ts";
import { type ContractScope, longMs, same, upTo } from "../contract-case.ts";
import { textsOf } from "../event-cases.ts";
import { many, toTask } from "../new-task.ts";
import { toSession } from "../session-cases.ts";
import type { FastCheck, Fuzzed } from "./fast-check.ts";

type Pause = () => Promise<void>;

/** Several actors at once; before each of its steps an actor waits for its turn in a schedule that fast-check draws. */
function toRace(
  actors: number,
  act: (scope: ContractScope, actor: number, pause: Pause) => Promise<void>,
  check: (scope: ContractScope) => Promise<void>,
): Fuzzed["toProperty"] {
  return (fc: FastCheck, newScope) =>
    fc.asyncProperty(fc.scheduler(), async (schedule) => {
      const scope = newScope();
      const racing = upTo(actors).map((actor) =>
        act(scope, actor, () => schedule.schedule(Promise.resolve(), `actor ${actor}`)),
      );
      await schedule.waitFor(Promise.all(racing));
      await check(scope);
    });
}

const increments = 3;

const sessionRace: Fuzzed = {
  name: "no change of a session is lost when several nodes change it, in any schedule",
  toProperty: toRace(
    3,
    async ({ nodes, key }, actor, pause) => {
      const { sessions } = nodes[actor % 2] ?? nodes[0];
      for (let left = increments; left > 0; ) {
        await pause();
        await sessions.create({ ...toSession(key()), owner: "0" }, longMs);
        await pause();
        const found = await sessions.touch(key(), longMs);
        ok(found);
        await pause();
        const owner = String(Number(found.session.owner) + 1);
        if (await sessions.replace({ ...found.session, owner }, found.version, longMs)) left--;
      }
    },
    async ({ nodes, key }) => {
      equal((await nodes[0].sessions.touch(key(), longMs))?.session.owner, String(3 * increments));
    },
  ),
};

const eventRace: Fuzzed = {
  name: "no event is lost, doubled or torn from its batch when several nodes append, in any schedule",
  toProperty: toRace(
    4,
    async ({ nodes, key }, actor, pause) => {
      const { events } = nodes[actor % 2] ?? nodes[0];
      for (const turn of upTo(3)) {
        await pause();
        await events.append(key(), [`${actor} ${turn} a`, `${actor} ${turn} b`], longMs);
      }
    },
    async ({ nodes, key }) => {
      const texts = textsOf(await nodes[1].events.after(key(), streamStart)) ?? [];
      equal(texts.length, 24);
      for (const at of upTo(12)) equal(texts[2 * at + 1], texts[2 * at]?.replace("a", "b"));
      for (const actor of upTo(4))
        same(
          texts.filter((text) => text.startsWith(`${actor} `) && text.endsWith("a")),
          upTo(3).map((turn) => `${actor} ${turn} a`),
        );
    },
  ),
};

const inside = new WeakMap<ContractScope, number>();

const lockRace: Fuzzed = {
  name: "a value that is added and removed is a lock: one holds it at a time, in any schedule",
  toProperty: toRace(
    3,
    async (scope, actor, pause) => {
      const { values } = scope.nodes[actor % 2] ?? scope.nodes[0];
      for (let left = 2; left > 0; ) {
        await pause();
        if (!(await values.add(scope.key(), String(actor), longMs))) continue;
        const holders = (inside.get(scope) ?? 0) + 1;
        inside.set(scope, holders);
        equal(holders, 1);
        await pause();
        equal(await values.get(scope.key()), String(actor));
        inside.set(scope, 0);
        equal(await values.remove(scope.key()), true);
        left--;
      }
    },
    async ({ nodes, key }) => equal(await nodes[0].values.get(key()), undefined),
  ),
};

const taskCount = 4;

const taskRace: Fuzzed = {
  name: "each task is done once, by the worker with the last claim, in any schedule",
  toProperty: toRace(
    3,
    async (scope, actor, pause) => {
      const { tasks } = scope.nodes[actor % 2] ?? scope.nodes[0];
      if (actor === 0) for (const at of upTo(taskCount)) await tasks.create(toTask(scope, `${at}`), many);
      for (let idle = 0; idle < 3; ) {
        await pause();
        const claimed = await tasks.claim(scope.key("queue"), longMs);
        if (claimed === undefined) {
          idle++;
          continue;
        }
        await pause();
        // Every first claim is given back, so that each task changes hands.
        if (claimed.task.record === undefined) await tasks.save(claimed, { record: { first: actor } });
        const isFirst = claimed.task.record === undefined;
        const change = isFirst
          ? { leaseMs: 0 }
          : { ended: { status: "completed", result: { by: actor } } as const };
        equal(await tasks.save(claimed, change), true);
        equal(await tasks.save(claimed, { statusMessage: "late" }), false);
      }
    },
    async (scope) => {
      const { tasks } = scope.nodes[0];
      for (let claimed = await tasks.claim(scope.key("queue"), longMs); claimed !== undefined; ) {
        equal(await tasks.save(claimed, { ended: { status: "completed", result: {} } }), true);
        claimed = await tasks.claim(scope.key("queue"), longMs);
      }
      for (const at of upTo(taskCount)) equal((await tasks.get(scope.key(`${at}`)))?.status, "completed");
    },
  ),
};

export const races: readonly Fuzzed[] = [sessionRace, eventRace, lockRace, taskRace];

import { equal, ok } from "node:assert/strict";
import type { ClaimedTask } from "../../state/task-store.ts";
import { eventually, includes, longMs, type Promised, same, upTo } from "./contract-case.ts";
import { claimNext, many, toTask } from "./new-task.ts";

export const taskWorkCases: readonly Promised[] = [
  {
    name: "tasks are claimed once, those that have waited longest first, by workers of their queue",
    async run(scope) {
      const [a, b] = scope.nodes;
      const [first, second] = [toTask(scope, "1"), toTask(scope, "2")];
      for (const task of [first, second]) await a.tasks.create(task, many);
      equal(await a.tasks.claim(scope.key("another queue"), longMs), undefined);
      equal((await claimNext(scope, b)).id, first.id);
      includes((await claimNext(scope, a)).task, second);
      equal(await b.tasks.claim(scope.key("queue"), longMs), undefined);
    },
  },
  {
    name: "each task is claimed by one of many workers at once",
    async run(scope) {
      for (const at of upTo(10)) await scope.nodes[0].tasks.create(toTask(scope, `${at}`), many);
      const claims = await Promise.all(
        upTo(50).map((at) => scope.nodes[at % 2]?.tasks.claim(scope.key("queue"), longMs)),
      );
      const ids = claims.flatMap((claimed) => claimed?.id ?? []);
      equal(new Set(ids).size, ids.length);
      // A claim may look at a task that another takes at the same moment, and come back empty.
      for (let left = await scope.nodes[1].tasks.claim(scope.key("queue"), longMs); left !== undefined; ) {
        ids.push(left.id);
        left = await scope.nodes[1].tasks.claim(scope.key("queue"), longMs);
      }
      equal(new Set(ids).size, 10);
      equal(ids.length, 10);
    },
  },
  {
    name: "a task goes to another worker when the lease is over, and refuses what the first one saves late",
    async run(scope) {
      const [a, b] = scope.nodes;
      const task = toTask(scope, "one");
      await a.tasks.create(task, many);
      const stale = await claimNext(scope, a, 50);
      const fresh = await eventually("a new claim", () => b.tasks.claim(scope.key("queue"), longMs));
      equal(fresh.id, task.id);
      ok(fresh.token > stale.token);
      equal(await a.tasks.save(stale, { leaseMs: longMs }), false);
      equal(await a.tasks.save(stale, { record: { stale: true } }), false);
      equal(await a.tasks.save(stale, { asks: { a: {} } }), false);
      const ended = (by: string) => ({ ended: { status: "completed", result: { by } } }) as const;
      equal(await a.tasks.save(stale, ended("stale")), false);
      equal(await b.tasks.save(fresh, ended("fresh")), true);
      equal(await a.tasks.save(stale, ended("stale")), false);
      includes(await a.tasks.get(task.id), { status: "completed", result: { by: "fresh" } });
    },
  },
  {
    name: "a task whose lease is over goes to one of many workers at once",
    async run(scope) {
      await scope.nodes[0].tasks.create(toTask(scope, "one"), many);
      await claimNext(scope, scope.nodes[0], 50);
      const claims: (ClaimedTask | undefined)[] = [];
      await eventually("a new claim", async () => {
        claims.push(
          ...(await Promise.all(
            upTo(10).map((at) => scope.nodes[at % 2]?.tasks.claim(scope.key("queue"), longMs)),
          )),
        );
        return claims.some((claim) => claim !== undefined);
      });
      equal(claims.filter((claim) => claim !== undefined).length, 1);
    },
  },
  {
    name: "a task stays with a worker that renews its lease, and is free as soon as it is given back",
    async run(scope) {
      const [a, b] = scope.nodes;
      await a.tasks.create(toTask(scope, "one"), many);
      const claimed = await claimNext(scope, a, 1000);
      equal(await a.tasks.save(claimed, { leaseMs: longMs }), true);
      await a.values.put(scope.key("witness"), "", 1000);
      await eventually("the old lease", async () => (await b.values.get(scope.key("witness"))) === undefined);
      equal(await b.tasks.claim(scope.key("queue"), longMs), undefined);
      equal(await a.tasks.save(claimed, { leaseMs: 0 }), true);
      equal(await a.tasks.save(claimed, { leaseMs: longMs }), false);
      ok((await claimNext(scope, b)).token > claimed.token);
    },
  },
  {
    name: "a task keeps what a worker saves for the next one",
    async run(scope) {
      const [a, b] = scope.nodes;
      await a.tasks.create(toTask(scope, "one"), many);
      const claimed = await claimNext(scope, a);
      await a.tasks.save(claimed, { record: { once: { a: 1 } }, leaseMs: longMs });
      await a.tasks.save(claimed, { statusMessage: "half", progress: { progress: 1 } });
      await a.tasks.save(claimed, { leaseMs: 0 });
      const { task } = await claimNext(scope, b);
      includes(task, { record: { once: { a: 1 } }, statusMessage: "half", progress: { progress: 1 } });
    },
  },
  {
    name: "a task ends once: what comes after is refused and changes nothing",
    async run(scope) {
      const [a, b] = scope.nodes;
      const task = toTask(scope, "one");
      await a.tasks.create(task, many);
      const claimed = await claimNext(scope, a);
      const outcomes = await Promise.all(
        upTo(10).map((at) =>
          scope.nodes[at % 2]?.tasks.save(claimed, { ended: { status: "completed", result: { at } } }),
        ),
      );
      equal(outcomes.filter(Boolean).length, 1);
      const first = await b.tasks.get(task.id);
      includes(first, { status: "completed", result: { at: outcomes.indexOf(true) } });
      equal(await b.tasks.cancel(task.id), false);
      equal(await a.tasks.save(claimed, { ended: { status: "failed", error: { code: 1 } } }), false);
      equal(await a.tasks.save(claimed, { statusMessage: "late" }), false);
      same(await a.tasks.get(task.id), first);
      equal(await b.tasks.claim(scope.key("queue"), longMs), undefined);
    },
  },
  {
    name: "a task keeps the error that ended it",
    async run(scope) {
      const [a, b] = scope.nodes;
      const task = toTask(scope, "one");
      await a.tasks.create(task, many);
      const error = { code: -32603, message: "no" };
      await a.tasks.save(await claimNext(scope, a), {
        ended: { status: "failed", error },
        statusMessage: "no",
      });
      includes(await b.tasks.get(task.id), { status: "failed", error, statusMessage: "no" });
    },
  },
  {
    name: "a task either ends or is cancelled, when both come at once",
    async run(scope) {
      const [a, b] = scope.nodes;
      for (const at of upTo(10)) {
        const task = toTask(scope, `${at}`);
        await a.tasks.create(task, many);
        const claimed = await claimNext(scope, a);
        const [saved, cancelled] = await Promise.all([
          a.tasks.save(claimed, { ended: { status: "completed", result: {} } }),
          b.tasks.cancel(task.id),
        ]);
        equal([saved, cancelled].filter(Boolean).length, 1);
        equal((await b.tasks.get(task.id))?.status, saved ? "completed" : "cancelled");
      }
    },
  },
  {
    name: "a task is cancelled whether it waits, runs or asks, and its worker is refused",
    async run(scope) {
      const [a, b] = scope.nodes;
      const [waiting, running, asking] = [toTask(scope, "1"), toTask(scope, "2"), toTask(scope, "3")];
      for (const task of [asking, running, waiting]) await a.tasks.create(task, many);
      await a.tasks.save(await claimNext(scope, a), { asks: { a: {} } });
      const claimed = await claimNext(scope, b);
      for (const { id } of [waiting, running, asking]) {
        equal(await b.tasks.cancel(id), true);
        equal(await a.tasks.cancel(id), false);
        includes(await a.tasks.get(id), { status: "cancelled", asks: {} });
      }
      equal(await b.tasks.save(claimed, { leaseMs: longMs }), false);
      await a.tasks.answer(asking.id, { a: {} });
      equal(await a.tasks.claim(scope.key("queue"), longMs), undefined);
    },
  },
];

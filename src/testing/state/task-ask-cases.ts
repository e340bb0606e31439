import { equal, ok } from "node:assert/strict";
import { includes, longMs, type Promised, same, upTo } from "./contract-case.ts";
import { claimNext, many, toTask } from "./new-task.ts";

const asks = { name: { question: "Who?" }, age: { question: "How old?" } };

export const taskAskCases: readonly Promised[] = [
  {
    name: "a task that asks waits for all its answers, which may come in parts, and then for a worker",
    async run(scope) {
      const [a, b] = scope.nodes;
      const { id } = toTask(scope, "one");
      await a.tasks.create(toTask(scope, "one"), many);
      const claimed = await claimNext(scope, a);
      equal(await a.tasks.save(claimed, { asks, record: { round: 1 } }), true);
      includes(await b.tasks.get(id), { status: "input_required", asks, record: { round: 1 } });
      equal(await b.tasks.claim(scope.key("queue"), longMs), undefined);
      await b.tasks.answer(id, { name: { action: "accept" }, never: { action: "accept" } });
      includes(await a.tasks.get(id), {
        status: "input_required",
        asks: { age: asks.age },
        answers: { name: { action: "accept" } },
      });
      equal(await a.tasks.claim(scope.key("queue"), longMs), undefined);
      await a.tasks.answer(id, { age: { action: "decline" } });
      const next = await claimNext(scope, b);
      ok(next.token > claimed.token);
      includes(next.task, { status: "working", asks: {} });
      same(next.task.answers, { name: { action: "accept" }, age: { action: "decline" } });
    },
  },
  {
    name: "a task keeps the first answer to a key, and ignores what was not asked",
    async run(scope) {
      const [a, b] = scope.nodes;
      const { id } = toTask(scope, "one");
      await a.tasks.create(toTask(scope, "one"), many);
      await b.tasks.answer(id, { name: { action: "accept" } });
      await a.tasks.save(await claimNext(scope, a), { asks });
      await a.tasks.answer(id, { name: { n: 1 }, ["__proto__"]: { n: 2 } });
      await b.tasks.answer(id, { name: { n: 3 } });
      same((await b.tasks.get(id))?.answers, { name: { n: 1 } });
    },
  },
  {
    name: "a task is not asked again for what was answered before",
    async run(scope) {
      const [a, b] = scope.nodes;
      const { id } = toTask(scope, "one");
      await a.tasks.create(toTask(scope, "one"), many);
      await a.tasks.save(await claimNext(scope, a), { asks: { name: asks.name } });
      await b.tasks.answer(id, { name: { n: 1 } });
      await a.tasks.save(await claimNext(scope, a), { asks });
      includes(await b.tasks.get(id), { status: "input_required", asks: { age: asks.age } });
      await b.tasks.answer(id, { age: { n: 2 } });
      const claimed = await claimNext(scope, b);
      equal(await b.tasks.save(claimed, { asks }), true);
      includes(await a.tasks.get(id), { status: "working", asks: {} });
      ok((await claimNext(scope, a)).token > claimed.token);
    },
  },
  {
    name: "a task takes nothing from the worker that asked while it waits",
    async run(scope) {
      const [a, b] = scope.nodes;
      await a.tasks.create(toTask(scope, "one"), many);
      const claimed = await claimNext(scope, a);
      await a.tasks.save(claimed, { asks });
      equal(await b.tasks.save(claimed, { ended: { status: "completed", result: {} } }), false);
    },
  },
  {
    name: "a task loses no answer when several come at once",
    async run(scope) {
      const { id } = toTask(scope, "one");
      await scope.nodes[0].tasks.create(toTask(scope, "one"), many);
      const keys = upTo(20).map((at) => `k${at}`);
      const asked = Object.fromEntries(keys.map((key) => [key, {}]));
      await scope.nodes[0].tasks.save(await claimNext(scope, scope.nodes[0]), { asks: asked });
      await Promise.all(keys.map((key, at) => scope.nodes[at % 2]?.tasks.answer(id, { [key]: { key } })));
      const { task } = await claimNext(scope, scope.nodes[1]);
      same(task.answers, Object.fromEntries(keys.map((key) => [key, { key }])));
    },
  },
];

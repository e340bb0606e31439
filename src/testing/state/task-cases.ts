import { equal, ok } from "node:assert/strict";
import type { TaskPage } from "../../state/task-store.ts";
import { eventually, includes, longMs, type Promised, same, upTo } from "./contract-case.ts";
import { claimNext, many, toTask } from "./new-task.ts";
import { oddTexts } from "./odd-text.ts";

function idsOf(page: TaskPage | undefined): string[] | undefined {
  return page?.tasks.map(({ id }) => id);
}

export const taskCases: readonly Promised[] = [
  {
    name: "a task is found on every node with all that it was created with, and begins as working",
    async run(scope) {
      const [a, b] = scope.nodes;
      const work = { deep: [1, { "": null, odd: oddTexts }] };
      const task = toTask(scope, "one", { statusMessage: "queued", work });
      const created = await a.tasks.create(task, many);
      const found = await b.tasks.get(task.id);
      same(found, created);
      includes(found, { ...task, status: "working", asks: {}, answers: {} });
      equal(found?.createdAt, found?.updatedAt);
      ok(Math.abs((found?.createdAt ?? 0) - Date.now()) < 60_000, "createdAt is not now");
    },
  },
  {
    name: "a task is unknown under an id that was never given, or that names a member of every object",
    async run({ nodes: [a, b], key }) {
      for (const id of ["__proto__", "constructor", key(), key("")]) {
        equal(await a.tasks.get(id), undefined);
        equal(await b.tasks.cancel(id), false);
        await a.tasks.answer(id, { a: {} });
      }
    },
  },
  {
    name: "a task may have any id, and no id stands for another",
    async run(scope) {
      const [a, b] = scope.nodes;
      const ids = [...oddTexts.map(scope.key), scope.key("x".repeat(900)), scope.key("y".repeat(900))];
      for (const id of ids) await a.tasks.create(toTask(scope, "", { id, statusMessage: id }), many);
      for (const id of ids) includes(await b.tasks.get(id), { id, statusMessage: id });
    },
  },
  {
    name: "a task stays as it was, whatever is done to what was given or found",
    async run(scope) {
      const [a] = scope.nodes;
      const work: Record<string, unknown> = { name: "dig" };
      const task = toTask(scope, "one", { work });
      await a.tasks.create(task, many);
      work.name = "changed";
      same((await a.tasks.get(task.id))?.work, { name: "dig" });
    },
  },
  {
    name: "tasks are listed for their lister alone, page by page, in the order of their creation",
    async run(scope) {
      const [a, b] = scope.nodes;
      const own = upTo(5).map((at) => toTask(scope, `own ${at}`));
      for (const [at, task] of own.entries()) {
        await (at % 2 ? a : b).tasks.create(task, many);
        await a.tasks.create(toTask(scope, `other ${at}`, { lister: scope.key("bob") }), many);
      }
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await (seen.length % 4 ? a : b).tasks.list(scope.key("alice"), 2, after);
        ok((page?.tasks.length ?? 0) <= 2);
        seen.push(...(idsOf(page) ?? []));
        after = page?.next;
      } while (after !== undefined);
      same(
        seen,
        own.map(({ id }) => id),
      );
      same(await a.tasks.list(scope.key("carol"), 2), { tasks: [] });
      equal(await a.tasks.list(scope.key("alice"), 2, "no cursor"), undefined);
    },
  },
  {
    name: "tasks are listed from where a page ended, though the task that stood there is gone",
    async run(scope) {
      const [a, b] = scope.nodes;
      const [first, brief, last] = [
        toTask(scope, "1"),
        toTask(scope, "2", { ttlMs: 1500 }),
        toTask(scope, "3"),
      ];
      const created = await a.tasks.create(first, many);
      const middle = await a.tasks.create(brief, many);
      // In the next millisecond at the earliest, so that its place is known by its time.
      await eventually("the next millisecond", () => Date.now() > (middle?.createdAt ?? 0) + 1);
      await b.tasks.create(last, many);
      ok(created);
      const page = await b.tasks.list(scope.key("alice"), 2);
      same(idsOf(page), [first.id, brief.id]);
      await eventually("expiry", async () => (await a.tasks.get(brief.id)) === undefined);
      same(idsOf(await a.tasks.list(scope.key("alice"), 10, page?.next)), [last.id]);
    },
  },
  {
    name: "a task is refused when its holder has too many that have not ended",
    async run(scope) {
      const [a, b] = scope.nodes;
      const first = toTask(scope, "1");
      ok(await a.tasks.create(first, 2));
      ok(await b.tasks.create(toTask(scope, "2"), 2));
      equal(await a.tasks.create(toTask(scope, "3"), 2), undefined);
      equal(await a.tasks.get(scope.key("3")), undefined);
      ok(await b.tasks.create(toTask(scope, "4", { owner: scope.key("bob") }), 2));
      ok(await b.tasks.create(toTask(scope, "5", { holder: scope.key("an address") }), 2));
      ok(await b.tasks.cancel(first.id));
      ok(await a.tasks.create(toTask(scope, "6"), 2));
      equal(await b.tasks.create(toTask(scope, "7"), 2), undefined);
    },
  },
  {
    name: "a holder never has more tasks than it may, also when it creates many at once on several nodes",
    async run(scope) {
      const created = await Promise.all(
        upTo(30).map((at) => scope.nodes[at % 2]?.tasks.create(toTask(scope, `${at}`), 5)),
      );
      equal(created.filter((task) => task !== undefined).length, 5);
      equal((await scope.nodes[0].tasks.list(scope.key("alice"), 100))?.tasks.length, 5);
    },
  },
  {
    name: "a task is unknown to everybody once its time to live is over, and counts no more",
    async run(scope) {
      const [a, b] = scope.nodes;
      const owner = scope.key("brief");
      const task = toTask(scope, "claimed", { ttlMs: 1_000, lister: owner, owner });
      await a.tasks.create(task, 1);
      const claimed = await claimNext(scope, a);
      const waiting = toTask(scope, "waiting", { ttlMs: 50, queue: scope.key("other") });
      await a.tasks.create(waiting, many);
      // The clocks of nodes may differ a little.
      for (const node of [a, b])
        await eventually("expiry", async () => (await node.tasks.get(task.id)) === undefined);
      same((await a.tasks.list(owner, 10))?.tasks, []);
      equal(await b.tasks.save(claimed, { ended: { status: "completed", result: {} } }), false);
      equal(await b.tasks.cancel(task.id), false);
      ok(await b.tasks.create(toTask(scope, "next", { owner }), 1));
      await eventually("expiry", async () => (await b.tasks.get(waiting.id)) === undefined);
      equal(await b.tasks.claim(scope.key("other"), longMs), undefined);
    },
  },
  {
    name: "tasks tell of each change until nobody listens",
    async run(scope) {
      const [a] = scope.nodes;
      const task = toTask(scope, "one");
      let told = 0;
      const stop = a.tasks.onChange((id) => {
        if (id === task.id) told++;
      });
      const isToldOf = async (change: () => unknown) => {
        const before = told;
        await change();
        await eventually("a notice of the change", () => told > before);
      };
      await isToldOf(() => a.tasks.create(task, many));
      const claimed = await claimNext(scope, a);
      await isToldOf(() => a.tasks.save(claimed, { statusMessage: "half" }));
      await isToldOf(() => a.tasks.save(claimed, { asks: { a: {} } }));
      await isToldOf(() => a.tasks.answer(task.id, { a: {} }));
      stop();
      const stoppedAt = told;
      await a.tasks.cancel(task.id);
      includes(await a.tasks.get(task.id), { status: "cancelled" });
      equal(told, stoppedAt);
    },
  },
];

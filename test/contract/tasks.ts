import type { ClaimedTask, NewTask, State, TaskStore } from "allspeak/http";
import { describe, expect, it } from "vitest";

/** Longer than any test takes. */
const longMs = 60_000;
const many = 1000;

let made = 0;
function newTask(given: Partial<NewTask> = {}): NewTask {
  return {
    id: `task-${++made}`,
    queue: "q",
    owner: "alice",
    lister: "alice",
    ttlMs: longMs,
    pollIntervalMs: 50,
    work: { name: "dig", arguments: { depth: 3 } },
    ...given,
  };
}

async function claimOne(tasks: TaskStore, leaseMs = longMs): Promise<ClaimedTask> {
  const claimed = await tasks.claim("q", leaseMs);
  if (claimed === undefined) throw new Error("There was nothing to claim.");
  return claimed;
}

/** What every store of tasks must do, wherever it keeps them. */
export function describeTasks(create: () => State | Promise<State>): void {
  const open = async () => (await create()).tasks;
  describe("tasks", () => {
    describeKeeping(open);
    describeWorking(open);
    describeAsking(open);
    describeEnding(open);
  });
}

function describeKeeping(open: () => Promise<TaskStore>): void {
  it("are found with all they were created with, and begin as working", async () => {
    const tasks = await open();
    const task = newTask({ statusMessage: "queued", work: { deep: [1, { "": null }] } });
    const created = await tasks.create(task, many);
    const found = await tasks.get(task.id);
    expect(found).toEqual(created);
    expect(found).toMatchObject({ ...task, status: "working", asks: {}, answers: {} });
    expect(found?.createdAt).toBe(found?.updatedAt);
    expect(Math.abs((found?.createdAt ?? 0) - Date.now())).toBeLessThan(longMs);
  });

  it("are unknown under an id that was never given, or that names a member of every object", async () => {
    const tasks = await open();
    for (const id of ["", "task", "__proto__", "constructor"]) expect(await tasks.get(id)).toBeUndefined();
    expect(await tasks.cancel("__proto__")).toBe(false);
    await tasks.answer("constructor", { a: {} });
  });

  it("stay as they were, whatever is done to what was given or found", async () => {
    const tasks = await open();
    const work: Record<string, unknown> = { name: "dig" };
    const task = newTask({ work });
    await tasks.create(task, many);
    work.name = "changed";
    expect((await tasks.get(task.id))?.work).toEqual({ name: "dig" });
  });

  it("are listed for their lister alone, page by page, in the order of their creation", async () => {
    const tasks = await open();
    const own = Array.from({ length: 5 }, () => newTask());
    for (const task of own) {
      await tasks.create(task, many);
      await tasks.create(newTask({ lister: "bob" }), many);
    }
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await tasks.list("alice", 2, after);
      expect(page?.tasks.length).toBeLessThanOrEqual(2);
      seen.push(...(page?.tasks.map(({ id }) => id) ?? []));
      after = page?.next;
    } while (after !== undefined);
    expect(seen).toEqual(own.map(({ id }) => id));
    expect(await tasks.list("carol", 2)).toEqual({ tasks: [], next: undefined });
    expect(await tasks.list("alice", 2, "no place")).toBeUndefined();
  });

  it("are listed from where a page ended, though the task that stood there is gone", async () => {
    const tasks = await open();
    const [first, brief, last] = [newTask(), newTask({ ttlMs: 300 }), newTask()];
    for (const task of [first, brief]) await tasks.create(task, many);
    // In the next millisecond at the earliest, so that its place is known by its time.
    await expect.poll(() => Date.now()).toBeGreaterThan((await tasks.get(brief.id))?.createdAt ?? 0);
    await tasks.create(last, many);
    const page = await tasks.list("alice", 2);
    expect(page?.tasks.map(({ id }) => id)).toEqual([first.id, brief.id]);
    await expect.poll(() => tasks.get(brief.id)).toBeUndefined();
    const rest = await tasks.list("alice", 10, page?.next);
    expect(rest?.tasks.map(({ id }) => id)).toEqual([last.id]);
  });

  it("are refused when their owner has too many that have not ended", async () => {
    const tasks = await open();
    const [first, second] = [newTask(), newTask()];
    expect(await tasks.create(first, 2)).toBeDefined();
    expect(await tasks.create(second, 2)).toBeDefined();
    expect(await tasks.create(newTask(), 2)).toBeUndefined();
    expect(await tasks.create(newTask({ owner: "bob" }), 2)).toBeDefined();
    await tasks.cancel(first.id);
    expect(await tasks.create(newTask(), 2)).toBeDefined();
  });

  it("are unknown to everybody once their time to live is over, and count no more", async () => {
    const tasks = await open();
    const task = newTask({ ttlMs: 30, lister: "brief", owner: "brief" });
    await tasks.create(task, 1);
    const claimed = await claimOne(tasks);
    await expect.poll(() => tasks.get(task.id)).toBeUndefined();
    expect((await tasks.list("brief", 10))?.tasks).toEqual([]);
    expect(await tasks.save(claimed, { ended: { status: "completed", result: {} } })).toBe(false);
    expect(await tasks.cancel(task.id)).toBe(false);
    expect(await tasks.create(newTask({ owner: "brief" }), 1)).toBeDefined();
    const waiting = newTask({ ttlMs: 1, queue: "other" });
    await tasks.create(waiting, many);
    await expect.poll(() => tasks.get(waiting.id)).toBeUndefined();
    expect(await tasks.claim("other", longMs)).toBeUndefined();
  });
}

function describeWorking(open: () => Promise<TaskStore>): void {
  it("are claimed once, those that have waited longest first, by workers of their queue", async () => {
    const tasks = await open();
    const [first, second] = [newTask(), newTask()];
    for (const task of [first, second]) await tasks.create(task, many);
    expect(await tasks.claim("another queue", longMs)).toBeUndefined();
    expect((await claimOne(tasks)).id).toBe(first.id);
    expect((await claimOne(tasks)).task).toMatchObject(second);
    expect(await tasks.claim("q", longMs)).toBeUndefined();
  });

  it("are each claimed by one of many workers at once", async () => {
    const tasks = await open();
    for (let at = 0; at < 10; at++) await tasks.create(newTask(), many);
    const claims = await Promise.all(Array.from({ length: 50 }, () => tasks.claim("q", longMs)));
    const ids = claims.flatMap((claimed) => claimed?.id ?? []);
    expect(ids).toHaveLength(10);
    expect(new Set(ids).size).toBe(10);
  });

  it("go to another worker when the lease is over, and refuse what the first one says late", async () => {
    const tasks = await open();
    const task = newTask();
    await tasks.create(task, many);
    const stale = await claimOne(tasks, 1);
    let fresh: ClaimedTask | undefined;
    await expect
      .poll(async () => {
        fresh = await tasks.claim("q", longMs);
        return fresh?.id;
      })
      .toBe(task.id);
    if (fresh === undefined) throw new Error("Nobody took over.");
    expect(fresh.token).toBeGreaterThan(stale.token);
    expect(await tasks.save(stale, { leaseMs: longMs })).toBe(false);
    expect(await tasks.save(stale, { record: { stale: true } })).toBe(false);
    expect(await tasks.save(stale, { asks: { a: {} } })).toBe(false);
    expect(await tasks.save(stale, { ended: { status: "completed", result: { by: "stale" } } })).toBe(false);
    expect(await tasks.save(fresh, { ended: { status: "completed", result: { by: "fresh" } } })).toBe(true);
    expect(await tasks.get(task.id)).toMatchObject({ status: "completed", result: { by: "fresh" } });
  });

  it("stay with a worker that renews its lease, and are free as soon as it gives them back", async () => {
    const tasks = await open();
    await tasks.create(newTask(), many);
    const claimed = await claimOne(tasks, 1);
    expect(await tasks.save(claimed, { leaseMs: longMs })).toBe(true);
    expect(await tasks.claim("q", longMs)).toBeUndefined();
    expect(await tasks.save(claimed, { leaseMs: 0 })).toBe(true);
    expect((await claimOne(tasks)).token).toBeGreaterThan(claimed.token);
  });

  it("keep what a worker saves for the next one", async () => {
    const tasks = await open();
    const task = newTask();
    await tasks.create(task, many);
    const claimed = await claimOne(tasks);
    await tasks.save(claimed, { record: { once: { a: 1 } }, leaseMs: longMs });
    await tasks.save(claimed, { statusMessage: "half", progress: { progress: 1 } });
    await tasks.save(claimed, { leaseMs: 0 });
    const next = await claimOne(tasks);
    expect(next.task).toMatchObject({
      record: { once: { a: 1 } },
      statusMessage: "half",
      progress: { progress: 1 },
    });
  });
}

function describeAsking(open: () => Promise<TaskStore>): void {
  const asks = { name: { method: "elicitation/create" }, age: { method: "elicitation/create" } };

  it("that ask wait for all their answers, which may come in parts, and then for a worker", async () => {
    const tasks = await open();
    const task = newTask();
    await tasks.create(task, many);
    const claimed = await claimOne(tasks);
    expect(await tasks.save(claimed, { asks, record: { round: 1 } })).toBe(true);
    expect(await tasks.get(task.id)).toMatchObject({ status: "input_required", asks, record: { round: 1 } });
    expect(await tasks.claim("q", longMs)).toBeUndefined();
    await tasks.answer(task.id, { name: { action: "accept" }, never: { action: "accept" } });
    expect(await tasks.get(task.id)).toMatchObject({
      status: "input_required",
      asks: { age: asks.age },
      answers: { name: { action: "accept" } },
    });
    expect(await tasks.claim("q", longMs)).toBeUndefined();
    await tasks.answer(task.id, { age: { action: "decline" } });
    const next = await claimOne(tasks);
    expect(next.token).toBeGreaterThan(claimed.token);
    expect(next.task).toMatchObject({ status: "working", asks: {} });
    expect(next.task.answers).toEqual({ name: { action: "accept" }, age: { action: "decline" } });
  });

  it("keep the first answer to a key, and ignore what was not asked", async () => {
    const tasks = await open();
    const task = newTask();
    await tasks.create(task, many);
    await tasks.answer(task.id, { name: { action: "accept" } });
    await tasks.save(await claimOne(tasks), { asks });
    await tasks.answer(task.id, { name: { n: 1 }, __proto__: { n: 2 } });
    await tasks.answer(task.id, { name: { n: 3 } });
    expect((await tasks.get(task.id))?.answers).toEqual({ name: { n: 1 } });
  });

  it("take no word from the worker that asked while they wait", async () => {
    const tasks = await open();
    await tasks.create(newTask(), many);
    const claimed = await claimOne(tasks);
    await tasks.save(claimed, { asks });
    expect(await tasks.save(claimed, { ended: { status: "completed", result: {} } })).toBe(false);
  });

  it("lose no answer when several come at once", async () => {
    const tasks = await open();
    const task = newTask();
    await tasks.create(task, many);
    const keys = Array.from({ length: 20 }, (_, at) => `k${at}`);
    await tasks.save(await claimOne(tasks), { asks: Object.fromEntries(keys.map((key) => [key, {}])) });
    await Promise.all(keys.map((key) => tasks.answer(task.id, { [key]: { key } })));
    const { task: next } = await claimOne(tasks);
    expect(next.answers).toEqual(Object.fromEntries(keys.map((key) => [key, { key }])));
  });
}

function describeEnding(open: () => Promise<TaskStore>): void {
  it("end once: what comes after is refused and changes nothing", async () => {
    const tasks = await open();
    const task = newTask();
    await tasks.create(task, many);
    const claimed = await claimOne(tasks);
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        tasks.save(claimed, { ended: { status: "completed", result: { at } } }),
      ),
    );
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    const first = await tasks.get(task.id);
    expect(first).toMatchObject({ status: "completed", result: { at: outcomes.indexOf(true) } });
    expect(await tasks.cancel(task.id)).toBe(false);
    expect(await tasks.save(claimed, { ended: { status: "failed", error: { code: 1 } } })).toBe(false);
    expect(await tasks.save(claimed, { statusMessage: "late" })).toBe(false);
    expect(await tasks.get(task.id)).toEqual(first);
    expect(await tasks.claim("q", longMs)).toBeUndefined();
  });

  it("keep the error that ended them", async () => {
    const tasks = await open();
    const task = newTask();
    await tasks.create(task, many);
    const error = { code: -32603, message: "no" };
    await tasks.save(await claimOne(tasks), { ended: { status: "failed", error }, statusMessage: "no" });
    expect(await tasks.get(task.id)).toMatchObject({ status: "failed", error, statusMessage: "no" });
  });

  it("are cancelled whether they wait, run or ask, and their worker hears of it", async () => {
    const tasks = await open();
    const [waiting, running, asking] = [newTask(), newTask(), newTask()];
    for (const task of [asking, running, waiting]) await tasks.create(task, many);
    await tasks.save(await claimOne(tasks), { asks: { a: {} } });
    const claimed = await claimOne(tasks);
    for (const { id } of [waiting, running, asking]) {
      expect(await tasks.cancel(id)).toBe(true);
      expect(await tasks.cancel(id)).toBe(false);
      expect(await tasks.get(id)).toMatchObject({ status: "cancelled", asks: {} });
    }
    expect(await tasks.save(claimed, { leaseMs: longMs })).toBe(false);
    await tasks.answer(asking.id, { a: {} });
    expect(await tasks.claim("q", longMs)).toBeUndefined();
  });

  it("tell of each change until nobody listens", async () => {
    const tasks = await open();
    const heard: string[] = [];
    const stop = tasks.onChange((id) => heard.push(id));
    const task = newTask();
    const isTold = (times: number) =>
      expect.poll(() => heard.filter((id) => id === task.id).length).toBe(times);
    await tasks.create(task, many);
    await isTold(1);
    const claimed = await claimOne(tasks);
    await tasks.save(claimed, { statusMessage: "half" });
    await isTold(2);
    await tasks.save(claimed, { asks: { a: {} } });
    await isTold(3);
    await tasks.answer(task.id, { a: {} });
    await isTold(4);
    stop();
    await tasks.cancel(task.id);
    expect(await tasks.get(task.id)).toMatchObject({ status: "cancelled" });
    expect(heard.filter((id) => id === task.id)).toHaveLength(4);
  });
}

import { createServer, type JsonObject, type LogEntry, type Server, tool } from "allspeak";
import { connect } from "allspeak/client";
import { memoryState, type State, type TaskStore } from "allspeak/http";
import { TaskRunner } from "allspeak/tasks";
import { describe, expect, it, onTestFinished } from "vitest";
import { Queue } from "../support/queue.ts";
import { Gate } from "./fixture.ts";

const text = (result: { content: readonly unknown[] }) => (result.content[0] as { text: string }).text;

/** A server that leaves its work to runners, and what they do. */
function site(state: State = { ...memoryState(), isShared: true }) {
  const gates: Gate[] = [];
  const log = new Queue<LogEntry>();
  const dig = tool("dig", { task: "required", pollIntervalMs: 20 }, async (_, ctx) => {
    const gate = gates[begun++];
    await gate?.pass(ctx.signal);
    return `dug at run ${begun}`;
  });
  let begun = 0;
  const server = createServer({
    name: "site",
    version: "1.0.0",
    state,
    tasks: { run: false },
    log: (entry) => log.push(entry),
    tools: [dig],
  });
  const run = (options: { leaseMs?: number; concurrency?: number; state?: State } = {}) => {
    const runner = new TaskRunner(server, { state, ...options });
    onTestFinished(() => runner.close(0));
    return runner;
  };
  const call = async () => {
    const client = await connect(server, { tasks: true });
    onTestFinished(() => client.close());
    let result: Promise<string> = Promise.resolve("");
    const taskId = await new Promise<string>((resolve) => {
      result = client.tools
        .call("dig", {}, { onTask: (task) => resolve(task.taskId) })
        .then(text, (error: Error) => error.message);
    });
    return { client, taskId, result };
  };
  return { server, state, gates, log, run, call };
}

describe("a runner of tasks", () => {
  it("does what a server has taken on, before and after it was started", async () => {
    const { run, call } = site();
    const before = await call();
    run();
    expect(await before.result).toBe("dug at run 1");
    const after = await call();
    expect(await after.result).toBe("dug at run 2");
  });

  it("works on no more at once than it may", async () => {
    const { run, call, gates } = site();
    gates.push(new Gate(), new Gate());
    run({ concurrency: 1 });
    const [first, second] = [await call(), await call()];
    await gates[0]?.reached;
    expect((await second.client.tasks.get(second.taskId)).status).toBe("working");
    gates[0]?.open();
    expect(await first.result).toBe("dug at run 1");
    await gates[1]?.reached;
    gates[1]?.open();
    expect(await second.result).toBe("dug at run 2");
  });

  it("gives back what it has not finished when it closes, to be taken at once", async () => {
    const { run, call, gates } = site();
    gates.push(new Gate());
    const first = run({ leaseMs: 600_000 });
    const { result } = await call();
    const signal = await gates[0]?.reached;
    await first.close(0);
    expect(signal?.aborted).toBe(true);
    run();
    expect(await result).toBe("dug at run 2");
  });

  it("lets what is under way come to its end when it closes", async () => {
    const { run, call, gates } = site();
    gates.push(new Gate());
    const runner = run();
    const { result } = await call();
    await gates[0]?.reached;
    const closed = runner.close();
    gates[0]?.open();
    await closed;
    expect(await result).toBe("dug at run 1");
  });

  it("stops a handler whose task was cancelled elsewhere, though nobody told it", async () => {
    const state: State = { ...memoryState(), isShared: true };
    const { run, call, gates } = site(state);
    gates.push(new Gate());
    run({ leaseMs: 60, state: { ...state, tasks: unheard(state.tasks) } });
    const { client, taskId } = await call();
    const signal = await gates[0]?.reached;
    const stopped = new Promise((resolve) => signal?.addEventListener("abort", resolve));
    await client.tasks.cancel(taskId);
    await stopped;
  });

  it("stops a handler whose lease is over because a busy store does not answer renewals", {
    timeout: 8_000,
  }, async () => {
    const state: State = { ...memoryState(), isShared: true };
    const { run, call, gates } = site(state);
    gates.push(new Gate());
    let isBusy = false;
    const tasks = waiting(state.tasks, () => isBusy);
    run({ leaseMs: 600, state: { ...state, tasks } });
    await call();
    const signal = await gates[0]?.reached;
    const stopped = new Promise((resolve) => signal?.addEventListener("abort", resolve));
    isBusy = true;
    await stopped;
    expect(signal?.reason).toMatchObject({ message: "the lease could not be renewed" });
  });

  it("gives up a task that was begun again and again and came to nothing", async () => {
    const { run, call, state } = site();
    const { result } = await call();
    for (let attempts = 1; attempts <= 5; attempts++) {
      const claimed = await state.tasks.claim("site", 600_000);
      if (claimed === undefined) throw new Error("There was nothing to claim.");
      await state.tasks.save(claimed, { record: { attempts }, leaseMs: 0 });
    }
    run();
    expect(await result).toBe("The task was given up after several runs without a result.");
  });

  it("goes on when the store could not be reached for a while, and reports that once", async () => {
    const state: State = { ...memoryState(), isShared: true };
    let isDown = true;
    const polls = new Queue<string>();
    const tasks = guarded(state.tasks, () => {
      polls.push("poll");
      return isDown;
    });
    const { run, call, log } = site(state);
    const { result } = await call();
    run({ leaseMs: 60, state: { ...state, tasks } });
    expect((await log.next()).message).toBe("Tasks can't be claimed");
    await polls.take(4);
    isDown = false;
    expect(await result).toBe("dug at run 1");
    expect(log.drain()).toEqual([]);
  });

  it.each([{ mountedUnder: [] }, { mountedUnder: ["dig"] }, { mountedUnder: ["deep", "dig"] }])(
    "writes the log of a task to those who wait for it, mounted under $mountedUnder",
    async ({ mountedUnder }) => {
      const state: State = { ...memoryState(), isShared: true };
      const gate = new Gate();
      const begun = tool("begun", { task: "required", pollIntervalMs: 20 }, async (_, ctx) => {
        await ctx.log("info", "at work");
        await gate.pass(ctx.signal);
        return "done";
      });
      const tasks = { run: false };
      const digger = createServer({ name: "digger", version: "1.0.0", state, tasks, tools: [begun] });
      const outermost = mountedUnder.reduceRight<Server>((inner, prefix, at) => {
        const outer = createServer({ name: `site ${at}`, version: "1.0.0", state, tasks });
        outer.mount(prefix, inner);
        return outer;
      }, digger);
      const runner = new TaskRunner(digger, { state, mountedUnder });
      onTestFinished(() => runner.close(0));
      const logged = new Queue<unknown>();
      const client = await connect(outermost, {
        revisions: ["2025-11-25"],
        tasks: true,
        onLog: ({ data }) => logged.push(data),
      });
      onTestFinished(() => client.close());
      const name = [...mountedUnder, "begun"].join("_");
      const result = client.tools.call(name, {}, { task: true });
      expect(await logged.next()).toBe("at work");
      gate.open();
      expect(text(await result)).toBe("done");
    },
  );

  it("refuses limits that make no sense", () => {
    const { server, state } = site();
    expect(() => new TaskRunner(server, { state, leaseMs: 0 })).toThrow("must be a number greater than 0");
  });
});

/** The same store, which tells nobody of changes, as one in another process may. */
function unheard(tasks: TaskStore): TaskStore {
  return { ...bound(tasks), onChange: () => () => {} };
}

function guarded(tasks: TaskStore, isDown: () => boolean): TaskStore {
  const claim: TaskStore["claim"] = (...args) => {
    if (isDown()) throw new Error("down");
    return tasks.claim(...args);
  };
  return { ...bound(tasks), claim };
}

/** Tasks whose changes wait in the store for as long as it is busy. */
function waiting(tasks: TaskStore, isBusy: () => boolean): TaskStore {
  const save: TaskStore["save"] = (...args) => (isBusy() ? new Promise(() => {}) : tasks.save(...args));
  return { ...bound(tasks), save };
}

function bound(tasks: TaskStore): TaskStore {
  return {
    create: (...args) => tasks.create(...args),
    get: (id) => tasks.get(id),
    list: (...args) => tasks.list(...args),
    claim: (...args) => tasks.claim(...args),
    save: (...args) => tasks.save(...args),
    answer: (id: string, answers: JsonObject) => tasks.answer(id, answers),
    cancel: (id) => tasks.cancel(id),
    onChange: (listener) => tasks.onChange(listener),
  };
}

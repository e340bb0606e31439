import { createServer, type Server, tool } from "allspeak";
import { connect } from "allspeak/client";
import { memoryState, type State, type TaskChange, type TaskStore } from "allspeak/http";
import { TaskRunner } from "allspeak/tasks";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fuzzed } from "../support/fuzz.ts";
import {
  answerTo,
  anyScript,
  createWorld,
  runScript,
  type Script,
  type World,
} from "../support/handler-script.ts";
import { alone, openRaw, type RawClient, type Wire } from "../support/raw-client.ts";

const runs = fuzzed(25, 250);
const seed = Number(process.env.FC_SEED ?? Date.now() & 0x7fffffff);
const leaseMs = 60_000;
const capabilities = {
  extensions: { "io.modelcontextprotocol/tasks": {} },
  elicitation: { form: {} },
  sampling: {},
  roots: {},
};

/** A server value made of nothing but the script and what every node is given. */
function createNode(script: Script, world: World, state: State): Server<unknown> {
  return createServer({
    name: "node",
    version: "1",
    tools: [tool("run", { task: "optional" }, (_args, ctx) => runScript(script, ctx, world))],
    tasks: { run: false },
    state,
    maxRounds: 100,
    log: () => {},
  });
}

/** What the handler comes to where it is never interrupted. */
async function runLive(script: Script) {
  const world = createWorld();
  const client = await connect(createNode(script, world, memoryState()), {
    revisions: ["2025-11-25"],
    elicit: (ask) => answerTo("elicitation/create", ask) as never,
    sample: (ask) => answerTo("sampling/createMessage", ask) as never,
    roots: () => answerTo("roots/list", {}).roots as never,
  });
  try {
    return { seen: seenOf(await client.tools.call("run")), world };
  } finally {
    await client.close();
  }
}

/**
 * One worker, which dies after so many words to the store: the last is heard, its answer is not.
 *
 * It does not die between doing something and saying so, when nobody could know whether it was done.
 */
class Mortal {
  readonly world: World;
  readonly tasks: TaskStore;
  #words: number;
  #unsaid = 0;
  #said = 0;
  #isDead = false;

  constructor(world: World, tasks: TaskStore, words: number, onDeath: () => void) {
    this.#words = words;
    this.world = this.#watch(world);
    const never = new Promise<never>(() => {});
    const alive = <T>(answer: () => T): T | Promise<never> => (this.#isDead ? never : answer());
    this.tasks = {
      create: (...args) => alive(() => tasks.create(...args)),
      get: (...args) => alive(() => tasks.get(...args)),
      list: (...args) => alive(() => tasks.list(...args)),
      claim: (...args) => alive(() => tasks.claim(...args)),
      save: (claim, change) =>
        alive(() => {
          const made = tasks.save(claim, change);
          if (!this.#diesAfter(change)) return made;
          this.#isDead = true;
          // As if its lease were over: how long that takes is for others to show.
          void tasks.save(claim, { leaseMs: 0 });
          onDeath();
          return never;
        }),
      answer: (...args) => alive(() => tasks.answer(...args)),
      cancel: (...args) => alive(() => tasks.cancel(...args)),
      onChange: (listener) => tasks.onChange(listener),
    };
  }

  #diesAfter({ record, asks, ended }: TaskChange): boolean {
    const { onces = {} } = (record?.journal ?? {}) as { onces?: object };
    const said = Object.keys(onces).length;
    if (said > this.#said) this.#unsaid -= said - this.#said;
    this.#said = Math.max(this.#said, said);
    if (record || asks || ended) this.#words--;
    return this.#words <= 0 && this.#unsaid <= 0;
  }

  /** The dead do nothing any more. */
  #watch(world: World): World {
    const set = (key: string, times: number) => {
      if (this.#isDead) return;
      this.#unsaid++;
      world.done.set(key, times);
    };
    const done = { get: (key: string) => world.done.get(key), set } as unknown as World["done"];
    return { done, runs: 0 };
  }
}

/** What the handler comes to as a task whose workers die, each after some words, until one lives. */
async function runAsTask(script: Script, lives: readonly number[]) {
  const world = createWorld();
  const state: State = { ...memoryState(), isShared: true };
  const runners: TaskRunner[] = [];
  let deaths = 0;
  const start = (): void => {
    const words = lives[runners.length] ?? Number.POSITIVE_INFINITY;
    const worker = new Mortal(world, state.tasks, words, () => {
      deaths++;
      start();
    });
    const node = createNode(script, worker.world, state);
    runners.push(new TaskRunner(node, { state: { ...state, tasks: worker.tasks }, leaseMs }));
  };
  const client = openRaw(createNode(script, world, state));
  try {
    start();
    const { taskId } = await client.result("tools/call", alone({ name: "run" }, capabilities));
    const task = await look(client, state, String(taskId));
    if (task.status !== "completed") throw new Error(JSON.stringify(task));
    return { seen: seenOf(task.result as object), world, deaths };
  } finally {
    // The dead never answer.
    for (const runner of runners) void runner.close(0);
    await client.close();
  }
}

/** Answers what a task asks until it has ended. */
async function look(client: RawClient, state: State, taskId: string): Promise<Wire> {
  for (;;) {
    const changed = new Promise<void>((resolve) => {
      const stop = state.tasks.onChange(() => {
        stop();
        resolve();
      });
    });
    const task = await client.result("tasks/get", alone({ taskId }, capabilities));
    if (task.status !== "working" && task.status !== "input_required") return task;
    if (task.status === "input_required") {
      const asks = Object.entries(task.inputRequests as Record<string, { method: string; params: unknown }>);
      const answers = asks.map(([key, { method, params }]) => [key, answerTo(method, params)]);
      const inputResponses = Object.fromEntries(answers);
      await client.result("tasks/update", alone({ taskId, inputResponses }, capabilities));
    } else await changed;
  }
}

describe(`tasks whose workers die anywhere, seed ${seed}`, () => {
  it("come to what the call comes to, and do once what is to be done once", async () => {
    let deaths = 0;
    await fc.assert(
      fc.asyncProperty(
        anyScript,
        fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
        async (script, lives) => {
          const [live, task] = await Promise.all([runLive(script), runAsTask(script, lives)]);
          expect(task.seen).toEqual(live.seen);
          expect([...task.world.done].sort()).toEqual([...live.world.done].sort());
          for (const times of task.world.done.values()) expect(times).toBe(1);
          deaths += task.deaths;
        },
      ),
      { numRuns: runs, seed },
    );
    // Else it has shown nothing.
    expect(deaths).toBeGreaterThan(0.2 * runs);
  }, 600_000);
});

function seenOf(result: object): unknown {
  const { content, isError = false } = result as Record<string, unknown>;
  return { content, isError };
}

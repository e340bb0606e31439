import type { ClaimedTask, State, StoredTask, TaskStore } from "allspeak/http";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const longMs = 600_000;
const maxOfOwner = 4;
const seed = Number(process.env.FC_SEED ?? Date.now() & 0x7fffffff);

type Status = StoredTask["status"];

interface Known {
  readonly id: string;
  readonly owner: string;
  status: Status;
  asks: string[];
  readonly answers: Map<string, unknown>;
  result?: unknown;
  /** The claim that counts, if a worker has the task. */
  token: number | undefined;
}

/** What a store of tasks is, without anything that makes one worth having. */
class Model {
  readonly tasks = new Map<string, Known>();
  /** Those to be claimed, the one that has waited longest first. */
  readonly waiting: string[] = [];
  readonly claims: ClaimedTask[] = [];

  openOf(owner: string): number {
    return [...this.tasks.values()].filter((task) => task.owner === owner && !hasEnded(task.status)).length;
  }
}

const hasEnded = (status: Status) => status !== "working" && status !== "input_required";

type Command = fc.AsyncCommand<Model, TaskStore>;

class Create implements Command {
  readonly id: string;
  readonly owner: string;

  constructor(id: number, owner: string) {
    this.id = `t${id}`;
    this.owner = owner;
  }

  check(model: Readonly<Model>): boolean {
    return !model.tasks.has(this.id);
  }

  async run(model: Model, tasks: TaskStore): Promise<void> {
    const { id, owner } = this;
    const isRefused = model.openOf(owner) >= maxOfOwner;
    const task = { id, owner, lister: owner, queue: "q", ttlMs: longMs, pollIntervalMs: 1, work: {} };
    const created = await tasks.create(task, maxOfOwner);
    expect(created === undefined).toBe(isRefused);
    if (isRefused) return;
    model.tasks.set(id, { id, owner, status: "working", asks: [], answers: new Map(), token: undefined });
    model.waiting.push(id);
  }

  toString = () => `create(${this.id}, ${this.owner})`;
}

class ClaimNext implements Command {
  check = () => true;

  async run(model: Model, tasks: TaskStore): Promise<void> {
    const claimed = await tasks.claim("q", longMs);
    expect(claimed?.id).toBe(model.waiting.shift());
    if (claimed === undefined) return;
    const known = model.tasks.get(claimed.id);
    if (known === undefined) throw new Error("It was never created.");
    for (const earlier of model.claims.filter(({ id }) => id === claimed.id))
      expect(claimed.token).toBeGreaterThan(earlier.token);
    known.token = claimed.token;
    model.claims.push(claimed);
    expect(claimed.task.answers).toEqual(Object.fromEntries(known.answers));
  }

  toString = () => "claim()";
}

type Word = "renew" | "give back" | "ask" | "end" | "fail";

class Save implements Command {
  readonly at: number;
  readonly word: Word;
  readonly keys: readonly string[];

  constructor(at: number, word: Word, keys: readonly string[]) {
    this.at = at;
    this.word = word;
    this.keys = keys;
  }

  check(model: Readonly<Model>): boolean {
    return model.claims.length > 0;
  }

  async run(model: Model, tasks: TaskStore): Promise<void> {
    const claim = model.claims[this.at % model.claims.length] as ClaimedTask;
    const known = model.tasks.get(claim.id) as Known;
    const isMade = known.status === "working" && known.token === claim.token;
    expect(await tasks.save(claim, this.#toChange())).toBe(isMade);
    if (isMade) this.#apply(model, known);
  }

  #toChange() {
    switch (this.word) {
      case "renew":
        return { leaseMs: longMs };
      case "give back":
        return { leaseMs: 0 };
      case "ask":
        return { asks: Object.fromEntries(this.keys.map((key) => [key, { key }])) };
      case "end":
        return { ended: { status: "completed", result: { at: this.at } } } as const;
      case "fail":
        return { ended: { status: "failed", error: { code: this.at, message: "" } } } as const;
    }
  }

  #apply(model: Model, known: Known): void {
    if (this.word === "renew") return;
    const fresh = this.word === "ask" ? this.keys.filter((key) => !known.answers.has(key)) : [];
    if (this.word === "end" || this.word === "fail") {
      known.status = this.word === "end" ? "completed" : "failed";
      if (this.word === "end") known.result = { at: this.at };
      known.token = undefined;
    } else if (fresh.length > 0) {
      known.status = "input_required";
      known.asks = [...new Set(fresh)];
      known.token = undefined;
    } else {
      known.token = undefined;
      model.waiting.push(known.id);
    }
  }

  toString = () => `save(${this.at}, ${this.word}, ${this.keys})`;
}

class Answer implements Command {
  readonly id: string;
  readonly keys: readonly string[];

  constructor(id: number, keys: readonly string[]) {
    this.id = `t${id}`;
    this.keys = keys;
  }

  check = () => true;

  async run(model: Model, tasks: TaskStore): Promise<void> {
    await tasks.answer(this.id, Object.fromEntries(this.keys.map((key) => [key, { said: key }])));
    const known = model.tasks.get(this.id);
    if (known?.status !== "input_required") return;
    for (const key of this.keys.filter((each) => known.asks.includes(each)))
      known.answers.set(key, { said: key });
    known.asks = known.asks.filter((key) => !this.keys.includes(key));
    if (known.asks.length > 0) return;
    known.status = "working";
    model.waiting.push(known.id);
  }

  toString = () => `answer(${this.id}, ${this.keys})`;
}

class Cancel implements Command {
  readonly id: string;

  constructor(id: number) {
    this.id = `t${id}`;
  }

  check = () => true;

  async run(model: Model, tasks: TaskStore): Promise<void> {
    const known = model.tasks.get(this.id);
    const isMade = known !== undefined && !hasEnded(known.status);
    expect(await tasks.cancel(this.id)).toBe(isMade);
    if (known === undefined || !isMade) return;
    known.status = "cancelled";
    known.asks = [];
    known.token = undefined;
    const at = model.waiting.indexOf(this.id);
    if (at >= 0) model.waiting.splice(at, 1);
  }

  toString = () => `cancel(${this.id})`;
}

class Look implements Command {
  check = () => true;

  async run(model: Model, tasks: TaskStore): Promise<void> {
    for (const { id, status, asks, answers, result } of model.tasks.values()) {
      const task = await tasks.get(id);
      expect(task).toMatchObject({ id, status, answers: Object.fromEntries(answers) });
      expect(Object.keys(task?.asks ?? {}).sort()).toEqual([...asks].sort());
      expect(task?.result).toEqual(result);
    }
    for (const lister of ["alice", "bob"]) {
      const listed = await tasks.list(lister, 1000);
      const own = [...model.tasks.values()].filter(({ owner }) => owner === lister);
      expect(listed?.tasks.map(({ id }) => id)).toEqual(own.map(({ id }) => id));
    }
  }

  toString = () => "look()";
}

const id = fc.nat(11);
const keys = fc.array(fc.constantFrom("a", "b", "c", "__proto__"), { minLength: 1, maxLength: 3 });
const word = fc.constantFrom<Word>("renew", "give back", "ask", "ask", "end", "fail");
const commands = [
  fc.tuple(id, fc.constantFrom("alice", "bob")).map(([at, owner]) => new Create(at, owner)),
  fc.constant(new ClaimNext()),
  fc.tuple(fc.nat(40), word, keys).map(([at, said, asked]) => new Save(at, said, asked)),
  fc.tuple(id, keys).map(([at, answered]) => new Answer(at, answered)),
  id.map((at) => new Cancel(at)),
  fc.constant(new Look()),
];

/** Whatever is done to a store, in whatever order, it is what the simplest one would be. */
export function describeTaskModel(create: () => State | Promise<State>, runs = 300): void {
  describe(`tasks, with seed ${seed}`, () => {
    it("are what a list of them on paper would be, whatever is done", async () => {
      await fc.assert(
        fc.asyncProperty(fc.commands(commands, { maxCommands: 50, size: "max" }), async (done) => {
          const { tasks } = await create();
          await fc.asyncModelRun(() => ({ model: new Model(), real: tasks }), [...done, new Look()]);
        }),
        { numRuns: Number(process.env.FC_RUNS ?? runs), seed },
      );
    }, 120_000);
  });
}

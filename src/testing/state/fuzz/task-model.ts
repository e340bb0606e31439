import { equal, ok } from "node:assert/strict";
import type { ClaimedTask, StoredTask } from "../../../state/task-store.ts";
import { type ContractScope, includes, longMs, same } from "../contract-case.ts";
import { toTask } from "../new-task.ts";
import type { FastCheck, Fuzzed } from "./fast-check.ts";

const maxOfOwner = 4;

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

/** A store of tasks as simple as it can be: maps and lists in memory. */
class Model {
  step = 0;
  readonly tasks = new Map<string, Known>();
  /** Those to be claimed, the one that has waited longest first. */
  readonly waiting: string[] = [];
  readonly claims: { readonly id: string; readonly claim: ClaimedTask }[] = [];

  openOf(owner: string): number {
    return [...this.tasks.values()].filter((task) => task.owner === owner && !hasEnded(task.status)).length;
  }
}

const hasEnded = (status: Status) => status !== "working" && status !== "input_required";

interface Command {
  check(model: Readonly<Model>): boolean;
  run(model: Model, scope: ContractScope): Promise<void>;
  toString(): string;
}

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

  async run(model: Model, scope: ContractScope): Promise<void> {
    const { tasks } = scope.nodes[model.step++ % 2] ?? scope.nodes[0];
    const { id, owner } = this;
    const isRefused = model.openOf(owner) >= maxOfOwner;
    const owned = { owner: scope.key(owner), lister: scope.key(owner) };
    const created = await tasks.create(toTask(scope, id, owned), maxOfOwner);
    equal(created === undefined, isRefused);
    if (isRefused) return;
    model.tasks.set(id, { id, owner, status: "working", asks: [], answers: new Map(), token: undefined });
    model.waiting.push(id);
  }

  toString = () => `create(${this.id}, ${this.owner})`;
}

class ClaimNext implements Command {
  check = () => true;

  async run(model: Model, scope: ContractScope): Promise<void> {
    const { tasks } = scope.nodes[model.step++ % 2] ?? scope.nodes[0];
    const claimed = await tasks.claim(scope.key("queue"), longMs);
    const id = model.waiting.shift();
    equal(claimed?.id, id === undefined ? undefined : scope.key(id));
    if (claimed === undefined || id === undefined) return;
    const known = model.tasks.get(id);
    if (known === undefined) throw new Error("It was never created.");
    for (const { claim } of model.claims.filter((earlier) => earlier.id === id))
      ok(claimed.token > claim.token);
    known.token = claimed.token;
    model.claims.push({ id, claim: claimed });
    same(claimed.task.answers, Object.fromEntries(known.answers));
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

  async run(model: Model, scope: ContractScope): Promise<void> {
    const { tasks } = scope.nodes[model.step++ % 2] ?? scope.nodes[0];
    const { id, claim } = model.claims[this.at % model.claims.length] ?? {};
    const known = id === undefined ? undefined : model.tasks.get(id);
    if (claim === undefined || known === undefined) return;
    const isMade = known.status === "working" && known.token === claim.token;
    equal(await tasks.save(claim, this.#toChange()), isMade);
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

  async run(model: Model, scope: ContractScope): Promise<void> {
    const { tasks } = scope.nodes[model.step++ % 2] ?? scope.nodes[0];
    await tasks.answer(scope.key(this.id), Object.fromEntries(this.keys.map((key) => [key, { said: key }])));
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

  async run(model: Model, scope: ContractScope): Promise<void> {
    const { tasks } = scope.nodes[model.step++ % 2] ?? scope.nodes[0];
    const known = model.tasks.get(this.id);
    const isMade = known !== undefined && !hasEnded(known.status);
    equal(await tasks.cancel(scope.key(this.id)), isMade);
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

  async run(model: Model, scope: ContractScope): Promise<void> {
    const { tasks } = scope.nodes[model.step++ % 2] ?? scope.nodes[0];
    for (const { id, status, asks, answers, result } of model.tasks.values()) {
      const task = await tasks.get(scope.key(id));
      includes(task, { id: scope.key(id), status, answers: Object.fromEntries(answers) });
      same(Object.keys(task?.asks ?? {}).sort(), [...asks].sort());
      same(task?.result, result);
    }
    for (const lister of ["alice", "bob"]) {
      const listed = await tasks.list(scope.key(lister), 1000);
      const own = [...model.tasks.values()].filter(({ owner }) => owner === lister);
      same(
        listed?.tasks.map(({ id }) => id),
        own.map(({ id }) => scope.key(id)),
      );
    }
  }

  toString = () => "look()";
}

function toCommands(fc: FastCheck) {
  const id = fc.nat(11);
  const keys = fc.array(fc.constantFrom("a", "b", "c", "__proto__"), { minLength: 1, maxLength: 3 });
  const word = fc.constantFrom<Word[]>("renew", "give back", "ask", "ask", "end", "fail");
  return [
    fc.tuple(id, fc.constantFrom("alice", "bob")).map(([at, owner]): Command => new Create(at, owner)),
    fc.constant<Command>(new ClaimNext()),
    fc.tuple(fc.nat(40), word, keys).map(([at, does, asked]): Command => new Save(at, does, asked)),
    fc.tuple(id, keys).map(([at, answered]): Command => new Answer(at, answered)),
    id.map((at): Command => new Cancel(at)),
    fc.constant<Command>(new Look()),
  ];
}

export const taskModel: Fuzzed = {
  name: "tasks are what a list of them on paper would be, whatever two nodes do one after another",
  toProperty: (fc, newScope, maxSteps) =>
    fc.asyncProperty(
      fc.commands(toCommands(fc), { maxCommands: maxSteps, size: "max" }),
      async (commands) => {
        await fc.asyncModelRun(() => ({ model: new Model(), real: newScope() }), [...commands, new Look()]);
      },
    ),
};

import { equal, ok, rejects } from "node:assert/strict";
import { OverloadedError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import type { State } from "../../state/state.ts";
import { type ContractScope, type Promised, same, upTo } from "./contract-case.ts";
import { many, toTask } from "./new-task.ts";

/** The promise of a state that keeps 8 tasks, and 4 of each holder that have ended. */
export function toTaskLimitCase(openLimited: () => MaybePromise<State>): Promised {
  return {
    name: "tasks are limited: those that ended longest ago go first, and without any a full store takes no more",
    async run(scope) {
      for (const run of [limitOfHolder, limitOfAll, limitOfOpen]) {
        const state = await openLimited();
        await run((name) => new Caller(scope, state, name));
        await state.close();
      }
    },
  };
}

type Callers = (name: string) => Caller;

async function limitOfHolder(caller: Callers): Promise<void> {
  const alice = caller("alice");
  for (const at of upTo(6)) await alice.end(`${at}`);
  await alice.create("open");
  same(await alice.tasks(), ["2", "3", "4", "5", "open"]);
  equal(await alice.knows("0"), false);
}

/** The holder with the most loses its oldest, also where another has an older one. */
async function limitOfAll(caller: Callers): Promise<void> {
  const [alice, bob, carol, dave] = [caller("alice"), caller("bob"), caller("carol"), caller("dave")];
  await bob.end("oldest of all");
  for (const at of upTo(4)) await alice.end(`${at}`);
  for (const at of upTo(3)) await carol.create(`${at}`);
  await dave.create("one");
  same(await alice.tasks(), ["1", "2", "3"]);
  same(await bob.tasks(), ["oldest of all"]);
  same(await carol.tasks(), ["0", "1", "2"]);
  same(await dave.tasks(), ["one"]);
}

async function limitOfOpen(caller: Callers): Promise<void> {
  const carol = caller("carol");
  for (const at of upTo(8)) await carol.create(`${at}`);
  await rejects(async () => carol.create("8"), OverloadedError);
  equal(await carol.knows("8"), false);
  await carol.cancel("3");
  await carol.create("9");
  same(await carol.tasks(), ["0", "1", "2", "4", "5", "6", "7", "9"]);
}

/** A holder of tasks, and its list. */
class Caller {
  readonly #scope: ContractScope;
  readonly #state: State;
  readonly #name: string;

  constructor(scope: ContractScope, state: State, name: string) {
    this.#scope = scope;
    this.#state = state;
    this.#name = name;
  }

  async create(task: string): Promise<void> {
    const name = this.#scope.key(this.#name);
    const created = toTask(this.#scope, `${this.#name} ${task}`, { owner: name, lister: name });
    ok(await this.#state.tasks.create(created, many), `${task} was refused.`);
  }

  async cancel(task: string): Promise<void> {
    ok(await this.#state.tasks.cancel(this.#idOf(task)));
  }

  async end(task: string): Promise<void> {
    await this.create(task);
    await this.cancel(task);
  }

  async knows(task: string): Promise<boolean> {
    return (await this.#state.tasks.get(this.#idOf(task))) !== undefined;
  }

  /** The names of the tasks that are left, in the order of their creation. */
  async tasks(): Promise<string[] | undefined> {
    const page = await this.#state.tasks.list(this.#scope.key(this.#name), 100);
    return page?.tasks.map(({ id }) => id.slice(this.#idOf("").length));
  }

  #idOf(task: string): string {
    return this.#scope.key(`${this.#name} ${task}`);
  }
}

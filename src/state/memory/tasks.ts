import { OverloadedError } from "../../errors.ts";
import { Throttle } from "../../lib/async/throttle.ts";
import { FairBudget } from "../../lib/bounded/fair-budget.ts";
import type { JsonObject } from "../../lib/json.ts";
import { isTerminal } from "../../protocol/model/task.ts";
import type {
  ClaimedTask,
  NewTask,
  StoredTask,
  TaskChange,
  TaskClaim,
  TaskPage,
  TaskStore,
} from "../task-store.ts";
import { TaskHolders } from "./task-holders.ts";
import { type QueuedTask, TaskQueue } from "./task-queue.ts";

interface TaskEntry extends QueuedTask {
  task: StoredTask;
  /** Characters of the members that may be large. */
  readonly chars: Map<string, number>;
}

const large = ["work", "record", "asks", "answers", "result", "error"] as const;

/** The time between two sweeps of a full store: each looks at everything. */
const sweepEveryMs = 1000;

export interface MemoryTaskLimits {
  readonly maxTasks: number;
  readonly maxEndedTasks: number;
  readonly maxTaskChars: number;
}

/** Tasks of one process. */
export class MemoryTasks implements TaskStore {
  readonly #max: number;
  readonly #maxEnded: number;
  readonly #maxChars: number;
  readonly #tasks = new Map<string, TaskEntry>();
  readonly #budget: FairBudget<TaskEntry>;
  readonly #holders = new TaskHolders<TaskEntry>();
  readonly #queue = new TaskQueue<TaskEntry>();
  readonly #listeners = new Set<(id: string) => void>();
  #sweepAt: number;
  readonly #sweeps = new Throttle(sweepEveryMs);

  constructor({ maxTasks, maxEndedTasks, maxTaskChars }: MemoryTaskLimits) {
    this.#max = maxTasks;
    this.#maxEnded = maxEndedTasks;
    this.#maxChars = maxTaskChars;
    this.#budget = new FairBudget({
      count: maxTasks,
      bytes: maxTaskChars,
      readinessOf: ({ task }) => (isTerminal(task) ? "idle" : "busy"),
      evict: (entry) => this.#evict(entry),
    });
    this.#sweepAt = Math.min(maxTasks, 1000);
  }

  create(task: NewTask, maxOfHolder: number): StoredTask | undefined {
    if (this.#tasks.size >= this.#sweepAt) this.#sweep();
    const holder = holderOf(task);
    if (this.#holders.openOf(holder) >= maxOfHolder) {
      this.#dropExpired();
      if (this.#holders.openOf(holder) >= maxOfHolder) return undefined;
    }
    for (const ended of this.#holders.endedBeyond(holder, this.#maxEnded)) this.#evict(ended);
    const now = Date.now();
    const stored: StoredTask = {
      ...copy(task),
      status: "working",
      createdAt: now,
      updatedAt: now,
      asks: {},
      answers: {},
    };
    const entry: TaskEntry = { task: stored, token: 0, leasedUntil: 0, chars: new Map() };
    this.#takeRoom(() => this.#budget.add(entry, holder, weigh(entry, stored)));
    this.#tasks.set(task.id, entry);
    this.#holders.open(holder);
    this.#queue.add(entry);
    this.#notify(task.id);
    return stored;
  }

  get(id: string): StoredTask | undefined {
    return this.#find(id)?.task;
  }

  list(lister: string, limit: number, after?: string): TaskPage | undefined {
    const all = [...this.#tasks.values()]
      .map(({ task }) => task)
      .filter((task) => task.lister === lister && !isExpired(task));
    const start = after === undefined ? 0 : startAfter(all, after);
    if (start === undefined) return undefined;
    const tasks = all.slice(start, start + limit);
    const last = all.length > start + limit ? tasks.at(-1) : undefined;
    return { tasks, next: last && toCursor(last) };
  }

  claim(queue: string, leaseMs: number): ClaimedTask | undefined {
    const now = Date.now();
    for (const entry of this.#queue.unleased(queue, now)) {
      if (isExpired(entry.task)) {
        this.#drop(entry);
        continue;
      }
      this.#queue.lease(entry, now + leaseMs);
      return { id: entry.task.id, token: entry.token, task: entry.task };
    }
    return undefined;
  }

  save({ id, token }: TaskClaim, change: TaskChange): boolean {
    const entry = this.#find(id);
    if (entry === undefined || entry.token !== token || entry.task.status !== "working") return false;
    const { leaseMs, asks, ended, ...others } = copy(change);
    if (leaseMs === 0) this.#queue.release(entry);
    else if (leaseMs !== undefined) entry.leasedUntil = Date.now() + leaseMs;
    if (ended) this.#end(entry, { ...others, ...ended });
    else if (asks) this.#ask(entry, asks, others);
    else if (Object.keys(others).length > 0) this.#change(entry, others);
    else if (leaseMs === 0) this.#notify(id);
    return true;
  }

  answer(id: string, answers: JsonObject): void {
    const entry = this.#find(id);
    if (entry?.task.status !== "input_required") return;
    const { asks } = entry.task;
    const taken = Object.entries(copy(answers)).filter(([key]) => Object.hasOwn(asks, key));
    if (taken.length === 0) return;
    this.#takeRoomForAnswers(entry, Object.fromEntries(taken));
    const left = Object.fromEntries(Object.entries(asks).filter(([key]) => !Object.hasOwn(answers, key)));
    const isAnswered = Object.keys(left).length === 0;
    if (isAnswered) this.#queue.add(entry);
    this.#change(entry, {
      asks: left,
      answers: { ...entry.task.answers, ...Object.fromEntries(taken) },
      ...(isAnswered && { status: "working" }),
    });
  }

  cancel(id: string): boolean {
    const entry = this.#find(id);
    if (entry === undefined || isTerminal(entry.task)) return false;
    this.#end(entry, { status: "cancelled" });
    return true;
  }

  onChange(listener: (id: string) => void): () => void {
    const own = (id: string) => listener(id);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  #ask(entry: TaskEntry, asked: JsonObject, others: Partial<StoredTask>): void {
    const { answers } = entry.task;
    const asks = Object.fromEntries(Object.entries(asked).filter(([key]) => !Object.hasOwn(answers, key)));
    const isAnswered = Object.keys(asks).length === 0;
    this.#queue.release(entry);
    if (!isAnswered) this.#queue.remove(entry);
    this.#change(entry, { ...others, asks, status: isAnswered ? "working" : "input_required" });
  }

  #end(entry: TaskEntry, ended: Partial<StoredTask>): void {
    this.#queue.remove(entry);
    this.#holders.end(holderOf(entry.task), entry);
    this.#change(entry, { ...ended, asks: {} });
  }

  #change(entry: TaskEntry, change: Partial<StoredTask>): void {
    entry.task = { ...entry.task, ...change, updatedAt: Date.now() };
    // Results of workers are never refused, also where there is no room: their work would be lost.
    this.#budget.resize(entry, weigh(entry, change));
    this.#notify(entry.task.id);
  }

  #find(id: string): TaskEntry | undefined {
    const entry = this.#tasks.get(id);
    if (entry === undefined || !isExpired(entry.task)) return entry;
    this.#drop(entry);
    return undefined;
  }

  #drop(entry: TaskEntry): void {
    this.#tasks.delete(entry.task.id);
    this.#budget.remove(entry);
    this.#queue.remove(entry);
    this.#holders.remove(holderOf(entry.task), entry);
  }

  #evict(entry: TaskEntry): void {
    this.#drop(entry);
    this.#notify(entry.task.id);
  }

  /** Sweeps, and again when there are twice as many, so that the cost of a sweep is spread over all additions. */
  #sweep(): void {
    if (this.#tasks.size < this.#max || this.#sweeps.isDue()) this.#dropExpired();
    this.#sweepAt = Math.min(this.#max, Math.max(1000, this.#tasks.size * 2));
  }

  #takeRoomForAnswers(entry: TaskEntry, answers: JsonObject): void {
    const chars = sumOf(entry.chars);
    this.#takeRoom(() => {
      const hasRoom = this.#budget.resize(entry, chars + JSON.stringify(answers).length);
      if (!hasRoom) this.#budget.resize(entry, chars);
      return hasRoom;
    });
  }

  #takeRoom(take: () => boolean): void {
    if (take()) return;
    if (this.#sweeps.isDue()) {
      this.#dropExpired();
      if (take()) return;
    }
    throw new OverloadedError(
      `No more than ${this.#max} tasks and ${this.#maxChars} characters of them are kept in memory; raise maxTasks or maxTaskChars.`,
    );
  }

  #dropExpired(): void {
    for (const entry of this.#tasks.values()) if (isExpired(entry.task)) this.#drop(entry);
  }

  #notify(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }
}

function holderOf({ holder, owner }: NewTask): string {
  return holder ?? owner;
}

/** Takes note of the characters of the members that changed; returns those of all members. */
function weigh({ chars }: TaskEntry, change: Partial<StoredTask>): number {
  for (const member of large)
    if (change[member] !== undefined) chars.set(member, JSON.stringify(change[member]).length);
  return sumOf(chars);
}

function sumOf(chars: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of chars.values()) sum += count;
  return sum;
}

/** The cursor after a task; it reveals nothing of the tasks of others. */
function toCursor({ createdAt, id }: StoredTask): string {
  return `${createdAt} ${id}`;
}

/** The index at which the page after a cursor begins, whether its task still exists or not. */
function startAfter(tasks: readonly StoredTask[], cursor: string): number | undefined {
  const [, createdAt, id] = /^(\d{1,15}) (.+)$/s.exec(cursor) ?? [];
  if (createdAt === undefined) return undefined;
  const at = tasks.findIndex((task) => task.id === id);
  if (at >= 0) return at + 1;
  const later = tasks.findIndex((task) => task.createdAt > Number(createdAt));
  return later < 0 ? tasks.length : later;
}

function isExpired({ createdAt, ttlMs }: StoredTask): boolean {
  return createdAt + ttlMs <= Date.now();
}

/** A copy that nobody else can change, and that is JSON, as it would be in any other store. */
function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

import { OverloadedError } from "../../errors.ts";
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

interface Kept {
  task: StoredTask;
  token: number;
  /** When the worker that has it is taken for dead. */
  leasedUntil: number;
  /** Characters of those members that may be large. */
  readonly chars: Map<string, number>;
}

const large = ["work", "record", "asks", "answers", "result", "error"] as const;

/** Where there is no room, how long until it is looked for again: each look is at everything. */
const lookEveryMs = 1000;

export interface TaskLimits {
  readonly maxTasks: number;
  readonly maxTaskChars: number;
}

/** Tasks of one process. */
export class MemoryTasks implements TaskStore {
  readonly #max: number;
  readonly #maxChars: number;
  readonly #tasks = new Map<string, Kept>();
  /** Those that have not ended, by owner. */
  readonly #openOf = new Map<string, number>();
  /** Those to be done, the one that has waited longest first. */
  readonly #waiting = new Map<string, Set<Kept>>();
  readonly #listeners = new Set<(id: string) => void>();
  #sweepAt: number;
  #chars = 0;
  #nextLook = 0;

  constructor({ maxTasks, maxTaskChars }: TaskLimits) {
    this.#max = maxTasks;
    this.#maxChars = maxTaskChars;
    this.#sweepAt = Math.min(maxTasks, 1000);
  }

  create(task: NewTask, maxOfOwner: number): StoredTask | undefined {
    if (this.#tasks.size >= this.#sweepAt) this.#sweep();
    if (this.#open(task.owner) >= maxOfOwner) {
      this.#dropExpired();
      if (this.#open(task.owner) >= maxOfOwner) return undefined;
    }
    this.#assertRoomFor(task.work);
    const now = Date.now();
    const stored: StoredTask = {
      ...copy(task),
      status: "working",
      createdAt: now,
      updatedAt: now,
      asks: {},
      answers: {},
    };
    const kept: Kept = { task: stored, token: 0, leasedUntil: 0, chars: new Map() };
    this.#tasks.set(task.id, kept);
    this.#weigh(kept, stored);
    this.#count(task.owner, 1);
    this.#queue(kept);
    this.#tell(task.id);
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
    return { tasks, next: last && toPlace(last) };
  }

  claim(queue: string, leaseMs: number): ClaimedTask | undefined {
    const now = Date.now();
    for (const kept of this.#waiting.get(queue) ?? []) {
      if (kept.leasedUntil > now) continue;
      if (isExpired(kept.task)) {
        this.#drop(kept);
        continue;
      }
      kept.token++;
      kept.leasedUntil = now + leaseMs;
      this.#unqueue(kept);
      this.#queue(kept);
      return { id: kept.task.id, token: kept.token, task: kept.task };
    }
    return undefined;
  }

  save({ id, token }: TaskClaim, change: TaskChange): boolean {
    const kept = this.#find(id);
    if (kept === undefined || kept.token !== token || kept.task.status !== "working") return false;
    const { leaseMs, asks, ended, ...others } = copy(change);
    if (leaseMs === 0) this.#release(kept);
    else if (leaseMs !== undefined) kept.leasedUntil = Date.now() + leaseMs;
    if (ended) this.#end(kept, { ...others, ...ended });
    else if (asks) this.#ask(kept, asks, others);
    else if (Object.keys(others).length > 0) this.#change(kept, others);
    else if (leaseMs === 0) this.#tell(id);
    return true;
  }

  answer(id: string, answers: JsonObject): void {
    const kept = this.#find(id);
    if (kept?.task.status !== "input_required") return;
    const { asks } = kept.task;
    const taken = Object.entries(copy(answers)).filter(([key]) => Object.hasOwn(asks, key));
    if (taken.length === 0) return;
    this.#assertRoomFor(Object.fromEntries(taken));
    const left = Object.fromEntries(Object.entries(asks).filter(([key]) => !Object.hasOwn(answers, key)));
    const isAnswered = Object.keys(left).length === 0;
    if (isAnswered) this.#queue(kept);
    this.#change(kept, {
      asks: left,
      answers: { ...kept.task.answers, ...Object.fromEntries(taken) },
      ...(isAnswered && { status: "working" }),
    });
  }

  cancel(id: string): boolean {
    const kept = this.#find(id);
    if (kept === undefined || isTerminal(kept.task)) return false;
    this.#end(kept, { status: "cancelled" });
    return true;
  }

  onChange(listener: (id: string) => void): () => void {
    const entry = (id: string) => listener(id);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  #ask(kept: Kept, asked: JsonObject, others: Partial<StoredTask>): void {
    const { answers } = kept.task;
    const asks = Object.fromEntries(Object.entries(asked).filter(([key]) => !Object.hasOwn(answers, key)));
    const isAnswered = Object.keys(asks).length === 0;
    this.#release(kept);
    if (!isAnswered) this.#unqueue(kept);
    this.#change(kept, { ...others, asks, status: isAnswered ? "working" : "input_required" });
  }

  /** Ends the claim; the task has waited from now. */
  #release(kept: Kept): void {
    kept.token++;
    kept.leasedUntil = 0;
    this.#unqueue(kept);
    this.#queue(kept);
  }

  #end(kept: Kept, ended: Partial<StoredTask>): void {
    this.#unqueue(kept);
    this.#count(kept.task.owner, -1);
    this.#change(kept, { ...ended, asks: {} });
  }

  #change(kept: Kept, change: Partial<StoredTask>): void {
    kept.task = { ...kept.task, ...change, updatedAt: Date.now() };
    this.#weigh(kept, change);
    this.#tell(kept.task.id);
  }

  #find(id: string): Kept | undefined {
    const kept = this.#tasks.get(id);
    if (kept === undefined || !isExpired(kept.task)) return kept;
    this.#drop(kept);
    return undefined;
  }

  #drop(kept: Kept): void {
    this.#tasks.delete(kept.task.id);
    for (const chars of kept.chars.values()) this.#chars -= chars;
    this.#unqueue(kept);
    if (!isTerminal(kept.task)) this.#count(kept.task.owner, -1);
  }

  /** The next sweep comes when there are twice as many, so that its cost is shared by all who add. */
  #sweep(): void {
    this.#dropExpired();
    if (this.#tasks.size >= this.#max) {
      throw new OverloadedError(`No more than ${this.#max} tasks are kept in memory; raise maxTasks.`);
    }
    this.#sweepAt = Math.min(this.#max, Math.max(1000, this.#tasks.size * 2));
  }

  #weigh(kept: Kept, change: Partial<StoredTask>): void {
    for (const member of large) {
      if (change[member] === undefined) continue;
      const chars = JSON.stringify(change[member]).length;
      this.#chars += chars - (kept.chars.get(member) ?? 0);
      kept.chars.set(member, chars);
    }
  }

  /** What clients bring is refused where there is no room; what workers bring never, or their work would be in vain. */
  #assertRoomFor(brought: JsonObject): void {
    const chars = JSON.stringify(brought).length;
    if (this.#chars + chars <= this.#maxChars) return;
    if (Date.now() >= this.#nextLook) {
      this.#nextLook = Date.now() + lookEveryMs;
      this.#dropExpired();
      if (this.#chars + chars <= this.#maxChars) return;
    }
    throw new OverloadedError(
      `No more than ${this.#maxChars} characters of tasks are kept in memory; raise maxTaskChars.`,
    );
  }

  #dropExpired(): void {
    for (const kept of this.#tasks.values()) if (isExpired(kept.task)) this.#drop(kept);
  }

  #open(owner: string): number {
    return this.#openOf.get(owner) ?? 0;
  }

  #count(owner: string, by: number): void {
    const count = this.#open(owner) + by;
    if (count > 0) this.#openOf.set(owner, count);
    else this.#openOf.delete(owner);
  }

  #queue(kept: Kept): void {
    const queue = this.#waiting.get(kept.task.queue) ?? new Set();
    this.#waiting.set(kept.task.queue, queue.add(kept));
  }

  #unqueue(kept: Kept): void {
    const queue = this.#waiting.get(kept.task.queue);
    queue?.delete(kept);
    if (queue?.size === 0) this.#waiting.delete(kept.task.queue);
  }

  #tell(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }
}

/** Says nothing of other listers' tasks. */
function toPlace({ createdAt, id }: StoredTask): string {
  return `${createdAt} ${id}`;
}

/** Where the page after a place begins, be the task that stood there gone or not. */
function startAfter(tasks: readonly StoredTask[], place: string): number | undefined {
  const [, createdAt, id] = /^(\d{1,15}) (.+)$/s.exec(place) ?? [];
  if (createdAt === undefined) return undefined;
  const at = tasks.findIndex((task) => task.id === id);
  if (at >= 0) return at + 1;
  const later = tasks.findIndex((task) => task.createdAt > Number(createdAt));
  return later < 0 ? tasks.length : later;
}

function isExpired({ createdAt, ttlMs }: StoredTask): boolean {
  return createdAt + ttlMs <= Date.now();
}

/** What is kept is nobody's to change, and JSON, as it would be elsewhere. */
function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

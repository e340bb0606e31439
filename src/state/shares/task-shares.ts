import { andThen } from "../../lib/async/maybe-promise.ts";
import { BoundedMap } from "../../lib/bounded/bounded-map.ts";
import type { CounterStore } from "../state.ts";
import type { NewTask, StoredTask, TaskChange, TaskStore } from "../task-store.ts";
import { Shares } from "./shares.ts";

const hourMs = 3_600_000;
const defaultMaxChars: number = 4 * 1024 ** 3;
/** The part of the room that one caller may take. */
const partOfHolder = 1 / 16;
/** Characters of a task that are not worth counting: the number of tasks is limited, too. */
const freeChars = 4096;
const maxKnown = 10_000;

/** A task as far as its share is concerned. */
interface KnownTask {
  readonly holder: string;
  readonly hours: number;
  /** Characters of the record that were stored before: each one replaces the last. */
  recordChars: number;
  uncounted: number;
}

/**
 * Tasks that nodes share, with limits for the characters that callers have them keep: what is stored within an hour,
 * times the hours that it lives.
 *
 * Results and records of workers are counted but never refused: their work would be lost. The next task is refused
 * instead.
 */
export function withTaskShares(
  tasks: TaskStore,
  counters: CounterStore,
  maxChars: number = defaultMaxChars,
): TaskStore {
  if (maxChars === Number.POSITIVE_INFINITY) return tasks;
  const shares = new Shares(counters, {
    what: "tasks",
    maxOfHolder: Math.ceil(maxChars * partOfHolder),
    maxOfAll: maxChars,
  });
  const known = new KnownTasks(tasks);
  return {
    ...tasks,
    create: async (task, maxOfHolder) => {
      await shares.take(holderOf(task), charsOf(task) * hoursOf(task), hourMs);
      return known.note(await tasks.create(task, maxOfHolder));
    },
    get: (id) => andThen(tasks.get(id), (task) => known.note(task)),
    claim: (queue, leaseMs) =>
      andThen(tasks.claim(queue, leaseMs), (claimed) => {
        known.note(claimed?.task);
        return claimed;
      }),
    answer: async (id, answers) => {
      const chars = charsOf(answers);
      const task = chars > freeChars ? await known.find(id) : undefined;
      if (task) await shares.take(task.holder, chars * task.hours, hourMs);
      await tasks.answer(id, answers);
    },
    save: async (claim, change) => {
      const isSaved = await tasks.save(claim, change);
      // The change is stored: a count that fails makes it no less so, and a worker would take it for lost.
      if (isSaved && hasContent(change))
        await known
          .find(claim.id)
          .then(countChange(shares, change))
          .catch(() => {});
      return isSaved;
    },
  };
}

/** The tasks that were read or claimed here lately. */
class KnownTasks {
  readonly #tasks: TaskStore;
  readonly #known = new BoundedMap<string, KnownTask>(maxKnown);

  constructor(tasks: TaskStore) {
    this.#tasks = tasks;
  }

  note<Task extends StoredTask | undefined>(task: Task): Task {
    if (task && !this.#known.has(task.id)) this.#known.set(task.id, toKnown(task));
    return task;
  }

  /** The task of an id, read from the store where it is not known. */
  async find(id: string): Promise<KnownTask | undefined> {
    if (!this.#known.has(id)) this.note(await this.#tasks.get(id));
    return this.#known.get(id);
  }
}

/** Counts what a change adds to a task. */
function countChange(shares: Shares, { record, ...change }: TaskChange) {
  return async (task: KnownTask | undefined): Promise<void> => {
    if (task === undefined) return;
    const recordChars = record ? charsOf(record) : task.recordChars;
    task.uncounted += Math.max(0, recordChars - task.recordChars) + (isLasting(change) ? charsOf(change) : 0);
    task.recordChars = recordChars;
    if (task.uncounted <= freeChars) return;
    const chars = task.uncounted;
    task.uncounted = 0;
    await shares.add(task.holder, chars * task.hours, hourMs);
  };
}

/** False for a change that only renews a lease or reports progress, whose size has a limit elsewhere. */
function hasContent(change: TaskChange): boolean {
  return change.record !== undefined || isLasting(change);
}

/** True if a change stays with the task after the run. */
function isLasting({ asks, ended }: TaskChange): boolean {
  return asks !== undefined || ended !== undefined;
}

function toKnown(task: StoredTask): KnownTask {
  const recordChars = task.record ? charsOf(task.record) : 0;
  return { holder: holderOf(task), hours: hoursOf(task), recordChars, uncounted: 0 };
}

function holderOf({ holder, owner }: NewTask): string {
  return holder ?? owner;
}

/** A time to live of less than an hour counts as one: counters that begin again earlier would forget longer ones. */
function hoursOf({ ttlMs }: NewTask): number {
  return Math.max(1, Math.ceil(ttlMs / hourMs));
}

function charsOf(value: object): number {
  return JSON.stringify(value).length;
}

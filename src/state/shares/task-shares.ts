import type { CounterStore } from "../state.ts";
import type { NewTask, TaskChange, TaskStore } from "../task-store.ts";
import { Shares } from "./shares.ts";

const hourMs = 3_600_000;
const defaultMaxChars: number = 4 * 1024 ** 3;
/** The part of the room that one caller may take. */
const partOfHolder = 1 / 16;
/** Characters of a change that are not worth counting: the number of tasks is limited, too. */
const freeChars = 4096;

/**
 * Tasks that nodes share, with limits for the characters that callers have them keep: what is stored within an hour,
 * times the hours that it lives.
 *
 * Results of workers are counted but never refused: their work would be lost. The next task is refused instead.
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
  /** Counts characters that a task gets later. Few of them cost no look at the task. */
  const countLater = async (id: string, chars: number, how: "take" | "add") => {
    const task = chars > freeChars ? await tasks.get(id) : undefined;
    if (task) await shares[how](holderOf(task), chars * hoursOf(task), hourMs);
  };
  return {
    ...tasks,
    create: async (task, maxOfHolder) => {
      await shares.take(holderOf(task), charsOf(task) * hoursOf(task), hourMs);
      return tasks.create(task, maxOfHolder);
    },
    answer: async (id, answers) => {
      await countLater(id, charsOf(answers), "take");
      await tasks.answer(id, answers);
    },
    save: async (claim, change) => {
      const isSaved = await tasks.save(claim, change);
      // The change is stored: a count that fails makes it no less so, and a worker would take it for lost.
      if (isSaved && isLasting(change)) await countLater(claim.id, charsOf(change), "add").catch(() => {});
      return isSaved;
    },
  };
}

/** True if a change stays with the task after the run: what a run saves on its way, the next change replaces. */
function isLasting({ asks, ended }: TaskChange): boolean {
  return asks !== undefined || ended !== undefined;
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

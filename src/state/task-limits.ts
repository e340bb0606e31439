import { OverloadedError } from "../errors.ts";
import { settlesWithin } from "../lib/async/wait-at-most.ts";
import type { OptionKinds } from "../lib/option-check.ts";

/** The number of tasks that a store keeps, and their size, so that nobody can fill it with tasks that live long. */
export interface TaskLimits {
  /** Tasks of all callers. Beyond it the caller with the most that have ended loses the oldest of them. Default 100,000. */
  readonly maxTasks?: number | undefined;
  /** Tasks of one caller that have ended, or 1 % of `maxTasks` more. Beyond it the oldest are dropped. Default 1,000. */
  readonly maxEndedTasks?: number | undefined;
  /**
   * Characters of tasks that callers store within an hour, times the hours that they live; one caller may store a
   * sixteenth. Further tasks are refused. Default 4,294,967,296.
   */
  readonly maxTaskChars?: number | undefined;
}

export const taskLimitKinds: OptionKinds<TaskLimits> = {
  maxTasks: "positive",
  maxEndedTasks: "positive",
  maxTaskChars: "positive",
};

/** The time that a new task waits for a look, which goes on if it takes longer. */
const patienceMs = 300;

/** The room for tasks in a store that can't count them each time: it looks after each growth by 1 %. */
export class TaskRoom {
  readonly maxTasks: number;
  readonly maxEnded: number;
  readonly #step: number;
  #untilLook = 0;
  #isFull = false;
  #looking: Promise<void> | undefined;

  constructor({ maxTasks = 100_000, maxEndedTasks = 1_000 }: TaskLimits) {
    this.maxTasks = maxTasks;
    this.maxEnded = maxEndedTasks;
    this.#step = Math.max(1, Math.floor(maxTasks / 100));
  }

  /** The number of tasks down to which a look drops them, so that there is room until the next one. */
  get target(): number {
    return Math.max(0, this.maxTasks - this.#step);
  }

  /** Counts a task that is about to be created; returns whether the store must be looked at before. */
  isLookDue(): boolean {
    if (this.#untilLook-- > 0) return false;
    this.#untilLook = this.#step - 1;
    return true;
  }

  /** Takes note of the tasks that a look has left. Throws when there is no room, and then the next look is due at once. */
  assertRoom(left: number): void {
    this.#isFull = left >= this.maxTasks;
    if (!this.#isFull) return;
    this.#untilLook = 0;
    throw tooManyTasks(this.maxTasks);
  }

  /** Makes room for a task that is about to be created: `look` drops what is too much, and resolves to what is left. */
  async make(look: () => Promise<number>): Promise<void> {
    if (!this.isLookDue()) return;
    this.#looking ??= look()
      .then((left) => this.assertRoom(left))
      .finally(() => {
        this.#looking = undefined;
      });
    // A small store is looked at before each task, which takes little time.
    if (this.#step === 1) return this.#looking;
    const isDone = await settlesWithin(patienceMs, this.#looking);
    if (!isDone && this.#isFull) throw tooManyTasks(this.maxTasks);
  }
}

export function tooManyTasks(maxTasks: number): OverloadedError {
  return new OverloadedError(
    `The store holds ${maxTasks} tasks that have not ended; wait for some to end, or raise maxTasks.`,
  );
}

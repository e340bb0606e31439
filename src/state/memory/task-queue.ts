import type { StoredTask } from "../task-store.ts";

export interface QueuedTask {
  readonly task: StoredTask;
  /** The token of the last claim. */
  token: number;
  /** The time after which the worker that has it is taken for dead. */
  leasedUntil: number;
}

/** The tasks that are to be done, by queue; the one that has waited longest comes first. */
export class TaskQueue<T extends QueuedTask> {
  readonly #queues = new Map<string, Set<T>>();

  add(entry: T): void {
    const queue = this.#queues.get(entry.task.queue) ?? new Set();
    this.#queues.set(entry.task.queue, queue.add(entry));
  }

  remove(entry: T): void {
    const queue = this.#queues.get(entry.task.queue);
    queue?.delete(entry);
    if (queue?.size === 0) this.#queues.delete(entry.task.queue);
  }

  /** The tasks without a worker. */
  *unleased(name: string, now: number): Iterable<T> {
    for (const entry of this.#queues.get(name) ?? []) if (entry.leasedUntil <= now) yield entry;
  }

  /** Starts a claim with a new token, and moves the task to the end of its queue. */
  lease(entry: T, until: number): void {
    entry.token++;
    entry.leasedUntil = until;
    this.remove(entry);
    this.add(entry);
  }

  /** Ends the claim; the task waits from now. */
  release(entry: T): void {
    this.lease(entry, 0);
  }
}

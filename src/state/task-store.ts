import type { MaybePromise } from "../lib/async/maybe-promise.ts";
import type { JsonObject } from "../lib/json.ts";
import type { TaskStatus } from "../protocol/model/task.ts";

/** A task as it is stored: plain JSON, so that any store can hold it. */
export interface StoredTask {
  readonly id: string;
  /** The name of the server that can run it. */
  readonly queue: string;
  /** The principal that may use it; no other learns that it exists. */
  readonly owner: string;
  /** The principal or the address whose share of the store it counts in. Default: the owner. */
  readonly holder?: string | undefined;
  /** The key of the list that it stands in. */
  readonly lister: string;
  /** Milliseconds since 1970, as `updatedAt`. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  readonly status: TaskStatus;
  readonly statusMessage?: string | undefined;
  /** The last progress that was reported. */
  readonly progress?: JsonObject | undefined;
  /** The work to do. */
  readonly work: JsonObject;
  /** The record that a run left for the next one. */
  readonly record?: JsonObject | undefined;
  /** The questions that the client has not answered, by key. */
  readonly asks: JsonObject;
  /** The answers of the client, by key. */
  readonly answers: JsonObject;
  readonly result?: JsonObject | undefined;
  readonly error?: JsonObject | undefined;
}

export type NewTask = Omit<
  StoredTask,
  "createdAt" | "updatedAt" | "status" | "asks" | "answers" | "result" | "error"
>;

/** The right to work on a task, until the lease is over or another has it. */
export interface TaskClaim {
  readonly id: string;
  /** Greater than that of every claim on this task before. */
  readonly token: number;
}

export interface ClaimedTask extends TaskClaim {
  readonly task: StoredTask;
}

/** A change that a worker makes. Members that are not named stay as they are. */
export interface TaskChange extends Partial<Pick<StoredTask, "statusMessage" | "progress" | "record">> {
  /** The worker goes on, for so long at least; 0 gives the task back, and the claim is over. */
  readonly leaseMs?: number;
  /** The worker has stopped until these are answered, and the claim is over. Keys that were answered before are not asked again. */
  readonly asks?: JsonObject;
  /** The worker has finished. */
  readonly ended?:
    | { readonly status: "completed"; readonly result: JsonObject }
    | { readonly status: "failed"; readonly error: JsonObject };
}

export interface TaskPage {
  /** The tasks in the order of their creation. */
  readonly tasks: readonly StoredTask[];
  /** The ids of tasks that are left out, because they can't be read. */
  readonly unreadable?: readonly string[];
  /** The cursor of the next page; undefined on the last. */
  readonly next: string | undefined;
}

/**
 * The tasks of callers, and the queue of the workers that run them.
 *
 * A task that has ended never changes again. One whose time to live is over is unknown to every
 * method, and a store makes room by and by.
 */
export interface TaskStore {
  /**
   * Keeps a new task, to be claimed at once; undefined when its holder has `maxOfHolder` that have not ended.
   *
   * A holder keeps a limited number that have ended: the oldest go. A store that is full makes room: the holder with
   * the most loses the oldest that has ended. Where none has, it rejects with `OverloadedError`.
   */
  create(task: NewTask, maxOfHolder: number): MaybePromise<StoredTask | undefined>;
  /** Rejects with `StoredFormatError` for a task that can't be read. */
  get(id: string): MaybePromise<StoredTask | undefined>;
  /** Tasks of one list; undefined when `after` is not a cursor of it. */
  list(lister: string, limit: number, after?: string): MaybePromise<TaskPage | undefined>;
  /**
   * The task of a queue that is `working` and has waited longest without a worker. Of several workers at once, one gets it.
   *
   * It also takes over the task of a worker whose lease is over; `save` then refuses every change of that worker.
   * Rejects with `StoredFormatError` for a task that can't be read, which then waits until the lease is over: the next
   * call gives the one after it.
   */
  claim(queue: string, leaseMs: number): MaybePromise<ClaimedTask | undefined>;
  /** Returns whether the change was made: not if another worker has the claim, or the task has ended. */
  save(claim: TaskClaim, change: TaskChange): MaybePromise<boolean>;
  /** Takes the answers to what is asked, ignores all others; once nothing is asked any more, the task is `working` again. */
  answer(id: string, answers: JsonObject): MaybePromise<void>;
  /** Ends a task as `cancelled`, unless it has ended; returns whether it did. */
  cancel(id: string): MaybePromise<boolean>;
  /**
   * Notifies of tasks that changed, in this process at least; in others where the store can.
   *
   * A caller that waits must poll now and then, too.
   */
  onChange(listener: (id: string) => void): () => void;
}

import type { JsonObject } from "../lib/json.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { TaskStatus } from "../protocol/model/task.ts";

/** A task as it is kept: plain JSON, so that any store can. */
export interface StoredTask {
  readonly id: string;
  /** Who can run it: the name of a server. */
  readonly queue: string;
  /** Who may use it; nobody else learns that it exists. */
  readonly owner: string;
  /** In whose list it stands. */
  readonly lister: string;
  /** Milliseconds since 1970, as `updatedAt`. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  readonly status: TaskStatus;
  readonly statusMessage?: string | undefined;
  /** How far it is, as the last progress said. */
  readonly progress?: JsonObject | undefined;
  /** What is to be done. */
  readonly work: JsonObject;
  /** What a run left for the next one. */
  readonly record?: JsonObject | undefined;
  /** What the client is asked and has not answered, by key. */
  readonly asks: JsonObject;
  /** All that it has answered, by key. */
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

/** What a worker has to say. What is not named stays as it is. */
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
  /** In the order of their creation. */
  readonly tasks: readonly StoredTask[];
  /** Where the next page begins; undefined on the last. */
  readonly next: string | undefined;
}

/**
 * Long work, kept for whoever asks for it and whoever does it.
 *
 * A task that has ended never changes again. One whose time to live is over is unknown to every
 * method, and a store makes room by and by.
 */
export interface TaskStore {
  /** Keeps a new task, to be claimed at once; undefined when its owner has `maxOfOwner` that have not ended. */
  create(task: NewTask, maxOfOwner: number): MaybePromise<StoredTask | undefined>;
  get(id: string): MaybePromise<StoredTask | undefined>;
  /** Tasks of one lister; undefined when `after` is no place that a page of theirs ended at. */
  list(lister: string, limit: number, after?: string): MaybePromise<TaskPage | undefined>;
  /** The task of a queue that is `working` and has waited longest without a worker. Of several workers at once, one gets it. */
  claim(queue: string, leaseMs: number): MaybePromise<ClaimedTask | undefined>;
  /** Whether the change was made: not if the claim has been given to another, or the task has ended. */
  save(claim: TaskClaim, change: TaskChange): MaybePromise<boolean>;
  /** Takes the answers to what is asked, ignores all others; once nothing is asked any more, the task is `working` again. */
  answer(id: string, answers: JsonObject): MaybePromise<void>;
  /** Ends a task as `cancelled`, unless it has ended; whether it did. */
  cancel(id: string): MaybePromise<boolean>;
  /**
   * Tells that a task has changed, from this process at least; from others where the store can.
   *
   * Those who wait must look for themselves now and then.
   */
  onChange(listener: (id: string) => void): () => void;
}

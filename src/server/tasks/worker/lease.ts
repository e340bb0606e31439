import { afterAwake, longestDelayMs, runLater, startBackgroundTimer } from "../../../lib/async/timers.ts";
import type { ClaimedTask, TaskChange, TaskClaim, TaskStore } from "../../../state/task-store.ts";

/**
 * A worker's lease on a task. It is renewed until it ends, and ends when the store refuses a change.
 *
 * One that is not renewed in time is taken over by the `TaskStore.claim` of another worker.
 */
export class Lease {
  readonly #tasks: TaskStore;
  readonly #claim: TaskClaim;
  readonly #leaseMs: number;
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #expiry: ReturnType<typeof setTimeout> | undefined;
  #renewedAt = performance.now();
  #unsaved: TaskChange = {};
  #flushing: Promise<void> | undefined;

  constructor(tasks: TaskStore, { id, token, task }: ClaimedTask, leaseMs: number) {
    this.#tasks = tasks;
    this.#claim = { id, token };
    this.#leaseMs = leaseMs;
    this.#timer = startBackgroundTimer(() => void this.#renew(), Math.max(leaseMs / 3, 10));
    // A task that was claimed before has less time left, by the clock of the store, which then refuses a renewal.
    if (task.ttlMs <= longestDelayMs)
      this.#expiry = runLater(() => this.end("the task has expired"), task.ttlMs);
  }

  /** Aborted when the task is cancelled, expired, or taken over by another worker. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Saves a change. Returns false if the store refused it, which ends the lease. */
  async save(change: TaskChange): Promise<boolean> {
    if (this.signal.aborted) return false;
    const isSaved = await this.#tasks.save(this.#claim, change);
    if (isSaved) this.#renewedAt = performance.now();
    else this.end("the task was cancelled, has expired, or was taken over by another worker");
    return isSaved;
  }

  /** Saves progress. Reports that come faster than the store can save are merged into the latest. */
  report(change: TaskChange): Promise<void> {
    this.#unsaved = { ...this.#unsaved, ...change };
    this.#flushing ??= this.#flush();
    return this.#flushing;
  }

  end(reason: string): void {
    clearInterval(this.#timer);
    clearTimeout(this.#expiry);
    this.#controller.abort(new Error(reason));
  }

  async giveBack(): Promise<void> {
    const isHeld = !this.signal.aborted;
    this.end("the worker is closing");
    try {
      if (isHeld) await this.#tasks.save(this.#claim, { leaseMs: 0 });
    } catch {
      // The store is away: the lease runs out by itself, and another worker takes the task.
    }
  }

  async #flush(): Promise<void> {
    try {
      while (Object.keys(this.#unsaved).length > 0) {
        const change = this.#unsaved;
        this.#unsaved = {};
        await this.save(change);
      }
    } catch {
      // A lost report does not matter to the work; the next one may succeed.
    } finally {
      this.#flushing = undefined;
    }
  }

  async #renew(): Promise<void> {
    // A busy store may answer only after the lease.
    const stopWaiting = afterAwake(this.#leaseMs, () => this.#endIfOver());
    try {
      await this.save({ leaseMs: this.#leaseMs });
    } catch {
      // The store may be unreachable for a moment.
      this.#endIfOver();
    } finally {
      stopWaiting();
    }
  }

  /** Ends a lease that was not renewed in time: another worker may have the task. */
  #endIfOver(): void {
    if (performance.now() - this.#renewedAt >= this.#leaseMs) this.end("the lease could not be renewed");
  }
}

import { longestDelayMs, runLater, startBackgroundTimer } from "../../lib/timers.ts";
import type { ClaimedTask, TaskChange, TaskClaim, TaskStore } from "../../state/task-store.ts";

/** A worker's hold on a task: renewed while it lasts, and gone at the first word that is refused. */
export class Lease {
  readonly #tasks: TaskStore;
  readonly #claim: TaskClaim;
  readonly #leaseMs: number;
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #expiry: ReturnType<typeof setTimeout> | undefined;
  #renewedAt = Date.now();
  #unsaid: TaskChange = {};
  #saying: Promise<void> | undefined;

  constructor(tasks: TaskStore, { id, token, task }: ClaimedTask, leaseMs: number) {
    this.#tasks = tasks;
    this.#claim = { id, token };
    this.#leaseMs = leaseMs;
    this.#timer = startBackgroundTimer(() => void this.#renew(), Math.max(leaseMs / 3, 10));
    const leftMs = task.createdAt + task.ttlMs - Date.now();
    if (leftMs <= longestDelayMs) this.#expiry = runLater(() => this.end("the task has expired"), leftMs);
  }

  /** Aborted when the task is no longer this worker's: cancelled, expired, or given to another. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the change was made; if not, the lease is over. */
  async save(change: TaskChange): Promise<boolean> {
    if (this.signal.aborted) return false;
    const isMade = await this.#tasks.save(this.#claim, change);
    if (isMade) this.#renewedAt = Date.now();
    else this.end("the task was cancelled, has expired, or was given to another worker");
    return isMade;
  }

  /** Says how far the work is. What comes faster than it can be kept is told in its latest state. */
  report(change: TaskChange): Promise<void> {
    this.#unsaid = { ...this.#unsaid, ...change };
    this.#saying ??= this.#say();
    return this.#saying;
  }

  end(reason: string): void {
    clearInterval(this.#timer);
    clearTimeout(this.#expiry);
    this.#controller.abort(new Error(reason));
  }

  async giveBack(): Promise<void> {
    const isHeld = !this.signal.aborted;
    this.end("the worker is closing");
    if (isHeld) await this.#tasks.save(this.#claim, { leaseMs: 0 });
  }

  async #say(): Promise<void> {
    try {
      while (Object.keys(this.#unsaid).length > 0) {
        const change = this.#unsaid;
        this.#unsaid = {};
        await this.save(change);
      }
    } catch {
      // How far the work is matters less than the work; the next word may get through.
    } finally {
      this.#saying = undefined;
    }
  }

  async #renew(): Promise<void> {
    try {
      await this.save({ leaseMs: this.#leaseMs });
    } catch {
      // A store that can't be reached for a moment; once the time is over, another may have the task.
      if (Date.now() - this.#renewedAt >= this.#leaseMs) this.end("the lease could not be renewed");
    }
  }
}

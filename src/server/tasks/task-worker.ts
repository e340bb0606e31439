import { unreferenced } from "../../lib/timers.ts";
import { settlesWithin } from "../../lib/wait-at-most.ts";
import type { State } from "../../state/state.ts";
import type { TaskStore } from "../../state/task-store.ts";
import type { Catalog } from "../catalog.ts";
import type { MethodCall } from "../methods/method-call.ts";
import { toQueueName } from "./task-call.ts";
import { TaskRun } from "./task-run.ts";

export interface TaskWorkerOptions {
  readonly queue: string;
  readonly concurrency?: number | undefined;
  readonly leaseMs?: number | undefined;
  /** Whether waiting for work keeps the process alive. */
  readonly keepsAlive?: boolean | undefined;
}

const defaultLeaseMs = 10_000;
/** Where nobody else can take over, a task is its worker's for as long as it likes. */
const endlessMs = 30 * 24 * 3_600_000;

/** Works on the tasks of one server, as many at once as it may. */
export class TaskWorker {
  readonly #catalog: Catalog;
  readonly #state: State;
  readonly #queue: string;
  readonly #leaseMs: number;
  readonly #concurrency: number;
  readonly #running = new Map<string, { readonly run: TaskRun; readonly ended: Promise<void> }>();
  readonly #stopListening: () => void;
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  #looking: Promise<void> | undefined;
  #isAsked = false;
  #isClosed = false;

  constructor(catalog: Catalog, state: State, options: TaskWorkerOptions) {
    const { concurrency = 16, leaseMs = state.isShared ? defaultLeaseMs : endlessMs } = options;
    this.#catalog = catalog;
    this.#state = state;
    this.#queue = options.queue;
    this.#leaseMs = leaseMs;
    this.#concurrency = concurrency;
    this.#stopListening = state.tasks.onChange((id) => this.#onChange(id));
    // Leases that are over are told by nobody.
    const timer = setInterval(() => this.poll(), Math.min(1000, Math.max(leaseMs / 4, 10)));
    this.#timer = options.keepsAlive ? timer : unreferenced(timer);
  }

  /** Looks for work, unless there is enough. */
  poll(): void {
    this.#isAsked = true;
    if (this.#looking || this.#isClosed) return;
    this.#looking = this.#take().finally(() => {
      this.#looking = undefined;
      if (this.#isAsked && this.#running.size < this.#concurrency) this.poll();
    });
  }

  /** Takes no more work, waits for what it has, and gives the rest back. */
  async close(drainMs: number): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#looking;
    const left = () => [...this.#running.values()];
    await settlesWithin(drainMs, Promise.all(left().map(({ ended }) => ended)));
    this.#stopListening();
    await Promise.all(left().map(({ run }) => run.giveBack()));
  }

  async #take(): Promise<void> {
    try {
      while (!this.#isClosed && this.#running.size < this.#concurrency) {
        this.#isAsked = false;
        const claimed = await this.#state.tasks.claim(this.#queue, this.#leaseMs);
        if (claimed === undefined) return;
        const run = new TaskRun(
          { catalog: this.#catalog, state: this.#state, leaseMs: this.#leaseMs },
          claimed,
        );
        const ended = run.run().finally(() => {
          this.#running.delete(claimed.id);
          this.poll();
        });
        this.#running.set(claimed.id, { run, ended });
      }
    } catch (cause) {
      this.#isAsked = false;
      this.#catalog.settings.log({ message: "Tasks can't be looked for", cause });
    }
  }

  #onChange(id: string): void {
    if (this.#running.has(id)) void this.#stopIfCancelled(id);
    this.poll();
  }

  /** A handler whose task was cancelled here need not wait to be told by its next renewal. */
  async #stopIfCancelled(id: string): Promise<void> {
    try {
      const task = await this.#state.tasks.get(id);
      const isStopped = task === undefined || task.status === "cancelled";
      if (isStopped) this.#running.get(id)?.run.stop("the task was cancelled");
    } catch {
      // Its next renewal will tell.
    }
  }
}

type ByQueue = Map<string, TaskWorker>;

const workers = new WeakMap<Catalog, WeakMap<TaskStore, ByQueue>>();

/** Has this process work on the tasks of a server, from the first call that is about one, unless it is told not to. */
export function startWorker({ catalog, call }: MethodCall): void {
  const options = catalog.settings.tasks;
  if (options.run === false) return;
  const state = catalog.storage.stateFor(call.state);
  const known = workers.get(catalog) ?? new WeakMap<TaskStore, ByQueue>();
  workers.set(catalog, known);
  const byQueue: ByQueue = known.get(state.tasks) ?? new Map();
  known.set(state.tasks, byQueue);
  const queue = toQueueName(catalog.settings.info.name, call.path);
  const worker = byQueue.get(queue) ?? new TaskWorker(catalog, state, { ...options, queue });
  byQueue.set(queue, worker);
  worker.poll();
}

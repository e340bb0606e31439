import { StoredFormatError } from "../../../errors.ts";
import { Throttle } from "../../../lib/async/throttle.ts";
import { unreferenced } from "../../../lib/async/timers.ts";
import { settlesWithin } from "../../../lib/async/wait-at-most.ts";
import { endsWorkWithRequest } from "../../../lib/runtime.ts";
import type { State } from "../../../state/state.ts";
import type { ClaimedTask, StoredTask, TaskStore } from "../../../state/task-store.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { MethodCall } from "../../methods/method-call.ts";
import { stateFor } from "../../state-for.ts";
import { toQueueName } from "../task-record.ts";
import type { TaskExecution } from "./task-execution.ts";

export interface TaskWorkerOptions {
  readonly queue: string;
  readonly concurrency?: number | undefined;
  readonly leaseMs?: number | undefined;
  /** The state of the server that answers the call of a task. Default: the state of the worker. */
  readonly stateOf?: ((task: StoredTask) => State) | undefined;
  /** Keeps the process alive while it waits for tasks. */
  readonly keepsAlive?: boolean | undefined;
  /** Works for one request only: claims tasks only when asked to, and in the time of that request. */
  readonly forOneRequest?: boolean | undefined;
}

const defaultLeaseMs = 10_000;
/** Tasks that can't be read, one after the other, before the worker leaves more of them for longer. */
const maxUnreadable = 100;
/** The lease on those: as many as a store has take little of the time of its workers. */
const unreadableMs = 600_000;
/** The lease where no other process can take a task over. */
const endlessMs = 30 * 24 * 3_600_000;

/** Runs the tasks of one queue, up to `concurrency` at once. */
export class TaskWorker {
  readonly #catalog: Catalog;
  readonly #state: State;
  readonly #stateOf: (task: StoredTask) => State;
  readonly #queue: string;
  readonly #leaseMs: number;
  readonly #concurrency: number;
  readonly #running = new Map<string, { readonly execution: TaskExecution; readonly ended: Promise<void> }>();
  readonly #stopListening: () => void;
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  /** A store that is away fails every poll, and the first failure says it all. */
  readonly #claimReports = new Throttle(60_000);
  readonly #unreadableReports = new Throttle(3_600_000);
  #polling: Promise<void> | undefined;
  #isPollDue = false;
  #isClosed = false;

  constructor(catalog: Catalog, state: State, options: TaskWorkerOptions) {
    const { concurrency = 16, forOneRequest = false } = options;
    const { leaseMs = state.isShared || forOneRequest ? defaultLeaseMs : endlessMs } = options;
    this.#catalog = catalog;
    this.#state = state;
    this.#stateOf = options.stateOf ?? (() => state);
    this.#queue = options.queue;
    this.#leaseMs = leaseMs;
    this.#concurrency = concurrency;
    this.#stopListening = state.tasks.onChange((id) => {
      if (this.#running.has(id)) void this.#stopIfCancelled(id);
      // The change belongs to another request, and so would the work.
      if (!forOneRequest) this.poll();
    });
    if (forOneRequest) return;
    // A store does not notify of expired leases.
    const timer = setInterval(() => this.poll(), Math.min(1000, Math.max(leaseMs / 4, 10)));
    this.#timer = options.keepsAlive ? timer : unreferenced(timer);
  }

  /** Claims tasks from the queue, unless enough are running. */
  poll(): void {
    this.#isPollDue = true;
    if (this.#polling || this.#isClosed) return;
    this.#polling = this.#claimAll().finally(() => {
      this.#polling = undefined;
      if (this.#isPollDue && this.#running.size < this.#concurrency) this.poll();
    });
  }

  /** Claims no more tasks, waits for the running ones, and gives unfinished ones back. */
  async close(drainMs: number): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#polling;
    const left = () => [...this.#running.values()];
    await settlesWithin(drainMs, Promise.all(left().map(({ ended }) => ended)));
    this.#stopListening();
    await Promise.all(left().map(({ execution }) => execution.giveBack()));
  }

  /** Works until nothing is left to do, and closes. */
  async finish(): Promise<void> {
    this.poll();
    while (this.#polling || this.#running.size > 0)
      await Promise.all([this.#polling, ...[...this.#running.values()].map(({ ended }) => ended)]);
    await this.close(0);
  }

  async #claimAll(): Promise<void> {
    try {
      // Loaded with the first run, and before a task is claimed: a creation is answered meanwhile.
      const { TaskExecution } = await import("./task-execution.ts");
      while (!this.#isClosed && this.#running.size < this.#concurrency) {
        this.#isPollDue = false;
        const claimed = await this.#claim();
        if (claimed === undefined) return;
        const execution = new TaskExecution(
          { catalog: this.#catalog, state: this.#stateOf(claimed.task), leaseMs: this.#leaseMs },
          claimed,
        );
        const ended = execution.run().finally(() => {
          this.#running.delete(claimed.id);
          this.poll();
        });
        this.#running.set(claimed.id, { execution, ended });
      }
    } catch (cause) {
      this.#isPollDue = false;
      if (this.#claimReports.isDue())
        this.#catalog.settings.log({ message: "Tasks can't be claimed", cause });
    }
  }

  /** The next task that can be read. The others wait until their leases are over, and so for a node that can. */
  async #claim(): Promise<ClaimedTask | undefined> {
    for (let unreadable = 0; !this.#isClosed; unreadable++)
      try {
        // A task that can be read is soon renewed, and so gets the usual lease.
        const leaseMs = unreadable < maxUnreadable ? this.#leaseMs : Math.max(this.#leaseMs, unreadableMs);
        return await this.#state.tasks.claim(this.#queue, leaseMs);
      } catch (cause) {
        if (!(cause instanceof StoredFormatError)) throw cause;
        if (this.#unreadableReports.isDue())
          this.#catalog.settings.log({ message: "A stored task can't be read, and is not run", cause });
      }
    return undefined;
  }

  /** Stops the handler of a cancelled task at once; the next renewal of its lease would stop it later. */
  async #stopIfCancelled(id: string): Promise<void> {
    try {
      const task = await this.#state.tasks.get(id);
      const isStopped = task === undefined || task.status === "cancelled";
      if (isStopped) this.#running.get(id)?.execution.stop("the task was cancelled");
    } catch {
      // The next renewal of the lease stops it.
    }
  }
}

type ByQueue = Map<string, TaskWorker>;

const workers = new WeakMap<Catalog, WeakMap<TaskStore, ByQueue>>();

/** Starts the worker of a server in this process, with the first call about a task, unless `tasks.run` is false. */
export function startWorker({ catalog, call }: MethodCall): void {
  const options = catalog.settings.tasks;
  if (options.run === false) return;
  const state = stateFor(catalog.settings, call.state);
  const queue = toQueueName(catalog.settings.info.name, call.path);
  if (endsWorkWithRequest) {
    const finished = new TaskWorker(catalog, state, { ...options, queue, forOneRequest: true }).finish();
    return call.waitUntil?.(finished);
  }
  const known = workers.get(catalog) ?? new WeakMap<TaskStore, ByQueue>();
  workers.set(catalog, known);
  const byQueue: ByQueue = known.get(state.tasks) ?? new Map();
  known.set(state.tasks, byQueue);
  const worker = byQueue.get(queue) ?? new TaskWorker(catalog, state, { ...options, queue });
  byQueue.set(queue, worker);
  worker.poll();
}

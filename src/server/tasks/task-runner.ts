import { UsageError } from "../../errors.ts";
import type { State } from "../../state/state.ts";
import type { Server } from "../server.ts";
import { toQueueName } from "./task-call.ts";
import { TaskWorker } from "./task-worker.ts";

export interface TaskRunnerOptions {
  /** Where the servers that answer the calls keep their tasks. */
  readonly state: State;
  /** The prefixes under which this server is mounted in the one that answers the calls, outermost first. Default: none. */
  readonly mountedUnder?: readonly string[] | undefined;
  /** Tasks that are worked on at once. Default 16. */
  readonly concurrency?: number | undefined;
  /** How long a worker that gives no sign of life is waited for before another takes over. Default 10,000. */
  readonly leaseMs?: number | undefined;
}

/**
 * Works on the tasks of a server, in a process that need not serve it.
 *
 * Any number may run at once. The server value must have the same tools as the one whose
 * calls became the tasks, and the same name.
 */
export class TaskRunner implements AsyncDisposable {
  readonly #worker: TaskWorker;

  constructor(server: Server<unknown>, options: TaskRunnerOptions) {
    const { leaseMs, concurrency } = options;
    for (const [name, value] of Object.entries({ leaseMs, concurrency })) {
      if (value !== undefined && !(value >= 1)) throw new UsageError(`${name} must be a positive number.`);
    }
    const queue = toQueueName(server.info.name, options.mountedUnder);
    this.#worker = new TaskWorker(server.catalog, options.state, { ...options, queue, keepsAlive: true });
    this.#worker.poll();
  }

  /** Takes no more work, waits for what is under way, at most for `drainMs`, and leaves the rest to others. */
  close(drainMs = 5000): Promise<void> {
    return this.#worker.close(drainMs);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/// <reference lib="esnext.disposable" preserve="true" />
import { assertOptions, type OptionKinds } from "../../../contract/options.ts";
import { isServable } from "../../../contract/service.ts";
import { UsageError } from "../../../errors.ts";
import { describeValue } from "../../../lib/text/describe-value.ts";
import { scopeOfTask } from "../../../state/scoped-state.ts";
import type { State } from "../../../state/state.ts";
import { withAvailability } from "../../../state/store-availability.ts";
import type { StoredTask } from "../../../state/task-store.ts";
import type { Server } from "../../server.ts";
import { toQueueName } from "../task-record.ts";
import { TaskWorker } from "./task-worker.ts";

export interface TaskRunnerOptions {
  /** The state in which the answering servers store their tasks. */
  readonly state: State;
  /** The prefixes under which this server is mounted in the answering one, outermost first. Default: none. */
  readonly mountedUnder?: readonly string[] | undefined;
  /** The number of tasks that run at once. Default 16. */
  readonly concurrency?: number | undefined;
  /** The time after which another worker takes over from one that no longer renews its lease. Default 10,000. */
  readonly leaseMs?: number | undefined;
}

const runnerOptionKinds: OptionKinds<TaskRunnerOptions> = {
  state: "object",
  mountedUnder: "strings",
  concurrency: "positive",
  leaseMs: "positive",
};

/**
 * A worker that runs the tasks of a server, in a process that need not serve it.
 *
 * Any number may run at once. The server value must have the same name and tools as the one that
 * answers the calls.
 */
export class TaskRunner implements AsyncDisposable {
  readonly #worker: TaskWorker;

  constructor(server: Server<unknown>, options: TaskRunnerOptions) {
    assertOptions("TaskRunner", options, runnerOptionKinds);
    if (!isServable(server))
      throw new UsageError(`TaskRunner takes a server value, not ${describeValue(server)}.`);
    const queue = toQueueName(server.info.name, options.mountedUnder);
    const state = withAvailability(options.state);
    // A worker of a mounted server does not know the server that answers the calls, but its tasks do.
    const stateOf = (task: StoredTask) => scopeOfTask(state, task);
    this.#worker = new TaskWorker(server.catalog, state, { ...options, queue, stateOf, keepsAlive: true });
    this.#worker.poll();
  }

  /** Claims no more tasks, waits up to `drainMs` for the running ones, and leaves unfinished ones to other workers. */
  close(drainMs = 5000): Promise<void> {
    return this.#worker.close(drainMs);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

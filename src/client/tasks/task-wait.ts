import type { RequestId } from "../../protocol/message.ts";
import type { DetailedTask, Task } from "../../protocol/model/task.ts";
import type { Notifications } from "../incoming/notifications.ts";
import { callSafely, type Report } from "../report.ts";
import type { Requests } from "../requests.ts";
import type { Rounds } from "../rounds.ts";
import type { Subscriptions } from "../subscriptions/subscriptions.ts";
import type { TaskCallOptions } from "./task-options.ts";

export interface TaskWaitParts {
  readonly requests: Requests;
  readonly rounds: Rounds;
  readonly notifications: Notifications;
  readonly subscriptions: Subscriptions;
  readonly report: Report;
  /** Settles when the connection has closed. */
  readonly closed: Promise<unknown>;
}

export interface TaskWaitOptions extends TaskCallOptions {
  /** The id of the request that became the task; it is the token of the task's progress. */
  readonly callId?: RequestId | undefined;
  /** Lets the task go on when it is not waited for any more. Default: it is cancelled. */
  readonly continuesUnattended?: boolean | undefined;
}

/** One task that is waited for. */
export interface TaskWait extends TaskWaitParts {
  readonly taskId: string;
  readonly options: TaskWaitOptions;
  readonly reporter: TaskReporter;
  /** Aborted when it is not waited for any more; the reason is an error. */
  readonly signal: AbortSignal;
  giveUp(reason: Error): void;
}

/** Reports a task to the host, each state of it once. */
export class TaskReporter {
  readonly #onTask: ((task: Task) => unknown) | undefined;
  readonly #onProblem: Report;
  #lastState = "";

  constructor(onTask: ((task: Task) => unknown) | undefined, onProblem: Report) {
    this.#onTask = onTask;
    this.#onProblem = onProblem;
  }

  get hasListener(): boolean {
    return this.#onTask !== undefined;
  }

  report({ inputRequests: _, result: __, error: ___, ...task }: DetailedTask): void {
    const onTask = this.#onTask;
    const state = JSON.stringify([task.status, task.statusMessage]);
    if (onTask === undefined || state === this.#lastState) return;
    this.#lastState = state;
    callSafely(this.#onProblem, () => onTask(task));
  }
}

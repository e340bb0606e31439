import type { DetailedTask, Task } from "../../protocol/model/task.ts";
import { callSafely, type Report } from "../report.ts";

/** Tells the host of a task, each state of it once. */
export class TaskReporter {
  readonly #onTask: ((task: Task) => unknown) | undefined;
  readonly #report: Report;
  #last = "";

  constructor(onTask: ((task: Task) => unknown) | undefined, report: Report) {
    this.#onTask = onTask;
    this.#report = report;
  }

  /** Whether anybody wants to know. */
  get hasListener(): boolean {
    return this.#onTask !== undefined;
  }

  report({ inputRequests: _, result: __, error: ___, ...task }: DetailedTask): void {
    const onTask = this.#onTask;
    const state = JSON.stringify([task.status, task.statusMessage]);
    if (onTask === undefined || state === this.#last) return;
    this.#last = state;
    callSafely(this.#report, () => onTask(task));
  }
}

import type { DetailedTask, Task } from "../../protocol/model/task.ts";
import { callSafely, type Report } from "../report.ts";

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

import { InvalidResponseError } from "../../errors.ts";
import type { OnDemand } from "../../lib/async/on-demand.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { RequestId } from "../../protocol/message.ts";
import { readTask } from "../../protocol/model/read-task.ts";
import { type DetailedTask, isTerminal } from "../../protocol/model/task.ts";
import type { Notifications } from "../incoming/notifications.ts";
import type { Requests } from "../requests.ts";
import type { Rounds } from "../rounds.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import type { Subscriptions } from "../subscriptions/subscriptions.ts";
import type { TaskReporter } from "./task-reporter.ts";
import { fetchTask, pollIntervalOf, retryTransient, toTaskResult } from "./task-requests.ts";

export interface TaskPollParts {
  readonly taskId: string;
  /** The id of the request that became the task, if it is known. */
  readonly callId?: RequestId | undefined;
  readonly requests: Requests;
  readonly rounds: Rounds;
  readonly notifications: Notifications;
  readonly subscriptions: OnDemand<Subscriptions>;
  readonly reporter: TaskReporter;
  /** Aborted when it is not waited for any more; the reason is an error. */
  readonly signal: AbortSignal;
  giveUp(reason: Error): void;
}

/**
 * Polls a task by `tasks/get` until it has ended; its questions and its result are part of its description.
 *
 * ext-tasks/tasks#task-polling (draft)
 */
export function pollTask(parts: TaskPollParts, first: DetailedTask): Promise<JsonObject> {
  return new TaskPoll(parts, first).run();
}

/** Factor on the poll interval while the server notifies of changes. */
const notifiedFactor = 10;

/** Limit on the questions of one task; a task with more would never stop asking. */
const maxQuestions = 1024;

class TaskPoll {
  readonly #parts: TaskPollParts;
  readonly #ended = new AbortController();
  /**
   * Names of the questions that were put to the host; a server never uses one twice.
   *
   * ext-tasks/tasks#task-update-requests (draft)
   */
  readonly #asked = new Set<string>();
  #task: DetailedTask;
  #subscription: Promise<Subscription | undefined> | undefined;
  #isNotified = false;
  #wake: () => void = () => {};

  constructor(parts: TaskPollParts, first: DetailedTask) {
    this.#parts = parts;
    this.#task = first;
  }

  async run(): Promise<JsonObject> {
    const stop = this.#parts.notifications.listen((name, params) => {
      const task = name === "notifications/tasks" ? readTask(params) : undefined;
      if (task?.taskId === this.#parts.taskId) this.#take(task);
    });
    try {
      return toTaskResult(await this.#untilEnded());
    } finally {
      stop();
      this.#ended.abort();
      void this.#subscription?.then((subscription) => subscription?.close());
    }
  }

  async #untilEnded(): Promise<DetailedTask> {
    const { requests, taskId, signal } = this.#parts;
    for (let polls = 0; !isTerminal(this.#task); polls++) {
      const task = this.#task;
      if (task.status === "input_required") this.#answer(task);
      // Short tasks are over before a subscription is worth it.
      if (polls === 1) this.#subscription = this.#subscribe();
      const factor = this.#isNotified ? notifiedFactor : 1;
      await sleep(pollIntervalOf(task) * factor, signal, (wake) => {
        this.#wake = wake;
      });
      if (this.#task !== task) continue;
      this.#take(await retryTransient(() => fetchTask(requests, taskId, { signal }), signal));
    }
    return this.#task;
  }

  #take(task: DetailedTask): void {
    if (isTerminal(this.#task)) return;
    this.#task = task;
    this.#parts.reporter.report(task);
    this.#wake();
  }

  /** Puts the questions of the task to the host, each once, while polling goes on. */
  #answer({ inputRequests = {} }: DetailedTask): void {
    const fresh = Object.entries(inputRequests).filter(([key]) => !this.#asked.has(key));
    if (fresh.length === 0) return;
    for (const [key] of fresh) this.#asked.add(key);
    if (this.#asked.size > maxQuestions)
      return this.#parts.giveUp(
        new InvalidResponseError(`The task asks more than ${maxQuestions} questions.`),
      );
    this.#sendAnswers(Object.fromEntries(fresh)).catch((error: Error) => {
      if (!this.#ended.signal.aborted) this.#parts.giveUp(error);
    });
  }

  async #sendAnswers(asks: JsonObject): Promise<void> {
    const { requests, rounds, taskId, callId, signal } = this.#parts;
    const either = AbortSignal.any([signal, this.#ended.signal]);
    const inputResponses = await rounds.answer("tools/call", asks, {
      signal: either,
      relatedTo: callId,
    });
    await retryTransient(() => requests.send("tasks/update", { taskId, inputResponses }, { signal }), signal);
    this.#wake();
  }

  async #subscribe(): Promise<Subscription | undefined> {
    const { subscriptions, taskId } = this.#parts;
    try {
      const subscription = await subscriptions.use((part) => part.open({ tasks: [taskId] }, () => {}));
      this.#isNotified = subscription.agreed.tasks?.includes(taskId) === true;
      void subscription.ended.then(() => {
        this.#isNotified = false;
        this.#wake();
      });
      return subscription;
    } catch {
      // Polling works without notifications.
      return undefined;
    }
  }
}

import { InvalidAnswerError } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/json.ts";
import { type DetailedTask, hasEnded, readTask } from "../../protocol/model/task.ts";
import type { Subscription } from "../subscription.ts";
import type { Drive } from "./drive.ts";
import { fetchTask, intervalOf, pause, persist, toOutcome } from "./task-requests.ts";

/** Looks after a task until it has ended; its questions and its result come with it. */
export function pollTask(drive: Drive, first: DetailedTask): Promise<JsonObject> {
  return new Poll(drive, first).run();
}

/** Where the server tells of changes, it is asked that much more rarely. */
const restWhenTold = 10;

/** What all rounds of a call may ask together; a task that asks more asks without end. */
const maxQuestions = 1024;

class Poll {
  readonly #drive: Drive;
  readonly #ended = new AbortController();
  /** Questions that were put to the host. Their names are never used twice. */
  readonly #asked = new Set<string>();
  #task: DetailedTask;
  #subscription: Promise<Subscription | undefined> | undefined;
  #isTold = false;
  #wake: () => void = () => {};

  constructor(drive: Drive, first: DetailedTask) {
    this.#drive = drive;
    this.#task = first;
  }

  async run(): Promise<JsonObject> {
    const stop = this.#drive.notifications.listen((name, params) => {
      const task = name === "notifications/tasks" ? readTask(params) : undefined;
      if (task?.taskId === this.#drive.taskId) this.#take(task);
    });
    try {
      return toOutcome(await this.#untilEnded());
    } finally {
      stop();
      this.#ended.abort();
      void this.#subscription?.then((subscription) => subscription?.close());
    }
  }

  async #untilEnded(): Promise<DetailedTask> {
    const { requests, taskId, signal } = this.#drive;
    for (let polls = 0; !hasEnded(this.#task); polls++) {
      const task = this.#task;
      if (task.status === "input_required") this.#answer(task);
      // Short tasks are over before a subscription is worth it.
      if (polls === 1) this.#subscription = this.#subscribe();
      const rest = this.#isTold ? restWhenTold : 1;
      await pause(intervalOf(task) * rest, signal, (wake) => {
        this.#wake = wake;
      });
      if (this.#task !== task) continue;
      this.#take(await persist(this.#drive, () => fetchTask(requests, taskId, { signal })));
    }
    return this.#task;
  }

  #take(task: DetailedTask): void {
    if (hasEnded(this.#task)) return;
    this.#task = task;
    this.#drive.told.tell(task);
    this.#wake();
  }

  /** Puts what is asked to the host, each question once, while the task is looked after. */
  #answer({ inputRequests = {} }: DetailedTask): void {
    const fresh = Object.entries(inputRequests).filter(([key]) => !this.#asked.has(key));
    if (fresh.length === 0) return;
    for (const [key] of fresh) this.#asked.add(key);
    if (this.#asked.size > maxQuestions)
      return this.#drive.giveUp(new InvalidAnswerError(`The task asks more than ${maxQuestions} questions.`));
    this.#sendAnswers(Object.fromEntries(fresh)).catch((error: Error) => {
      if (!this.#ended.signal.aborted) this.#drive.giveUp(error);
    });
  }

  async #sendAnswers(asks: JsonObject): Promise<void> {
    const { requests, rounds, taskId, signal } = this.#drive;
    const either = AbortSignal.any([signal, this.#ended.signal]);
    const inputResponses = await rounds.answer("tools/call", asks, either);
    await persist(this.#drive, () => requests.send("tasks/update", { taskId, inputResponses }, { signal }));
    this.#wake();
  }

  async #subscribe(): Promise<Subscription | undefined> {
    const { subscriptions, taskId } = this.#drive;
    try {
      const subscription = await subscriptions.open({ tasks: [taskId] }, () => {});
      this.#isTold = subscription.agreed.tasks?.includes(taskId) === true;
      void subscription.ended.then(() => {
        this.#isTold = false;
        this.#wake();
      });
      return subscription;
    } catch {
      // A server need not tell; it can be asked.
      return undefined;
    }
  }
}

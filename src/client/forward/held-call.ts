import type { Call } from "../../contract/call.ts";
import { toCancelled } from "../../contract/cancelled-error.ts";
import { nextTurn } from "../../lib/async/yield-turn.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { readProgressToken } from "../../protocol/meta.ts";
import type { Task } from "../../protocol/model/task.ts";
import { type Asker, toAskParams } from "./asker.ts";

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  readonly answer: (answer: JsonObject) => void;
  readonly refuse: (reason: unknown) => void;
}

/**
 * A call to a server that goes on while its caller is away: between two rounds, or as a task.
 *
 * Each round ends with the result, with the task that the call has become, or with the questions that are open by
 * then. basic/patterns/mrtr#basic-workflow (2026-07-28)
 */
export class HeldCall implements Asker {
  readonly #questions = new Map<string, Question>();
  readonly #stop = new AbortController();
  readonly #listeners = new Set<() => void>();
  #call: Call;
  #result: Promise<JsonObject> | undefined;
  #task: Task | undefined;
  #receiver: Pick<Call, "notify"> | undefined;
  #nextKey = 1;

  constructor(call: Call) {
    this.#call = call;
  }

  /** The call of the round that is open, or was last. */
  get call(): Call {
    return this.#call;
  }

  /** Aborted when the caller gives up, or does not come back. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** The questions that wait for answers, by their keys. */
  get questions(): { readonly [key: string]: { readonly method: string; readonly params: JsonObject } } {
    return Object.fromEntries(
      [...this.#questions].map(([key, { method, params }]) => [key, { method, params }]),
    );
  }

  /** The task that the call has become at the server, as it was reported last. */
  get task(): Task | undefined {
    return this.#task;
  }

  get result(): Promise<JsonObject> {
    if (this.#result === undefined) throw new Error("The call has not been started.");
    return this.#result;
  }

  /** Sends a notification with the round that is open. Each round has its own token for progress. */
  readonly notify: Call["notify"] = async (method, params) => {
    if (this.#receiver) return this.#receiver.notify(method, params);
    if (!("progressToken" in params)) return this.#call.notify(method, params);
    const progressToken = readProgressToken(this.#call.params);
    if (progressToken !== undefined) await this.#call.notify(method, { ...params, progressToken });
  };

  /** Takes note of the task that the call has become. */
  readonly onTask = (task: Task): void => {
    this.#task = task;
    this.#changed();
  };

  /** From now on, notifications go to another receiver: no round is open any more. */
  passTo(receiver: Pick<Call, "notify">): void {
    this.#receiver = receiver;
  }

  start(result: Promise<JsonObject>): void {
    this.#result = result;
    // A call that fails while its caller is away is reported when it comes back.
    result.catch(() => {});
  }

  ask(method: string, params: JsonObject, signal: AbortSignal | undefined): Promise<JsonObject> {
    const key = `q${this.#nextKey++}`;
    return new Promise((answer, refuse) => {
      this.#questions.set(key, { method, params: toAskParams(this.#call, method, params), answer, refuse });
      signal?.addEventListener(
        "abort",
        () => {
          this.#questions.delete(key);
          refuse(toCancelled(method, signal.reason));
        },
        { once: true },
      );
      this.#changed();
    });
  }

  /** Takes answers to questions by their keys; those to unknown questions are ignored. */
  answer(answers: unknown): void {
    if (!isObject(answers)) return;
    for (const [key, answer] of Object.entries(answers))
      if (isObject(answer)) this.#take(key)?.answer(answer);
  }

  /** Passes on why a question was not answered. */
  refuse(key: string, reason: unknown): void {
    this.#take(key)?.refuse(reason);
  }

  /** Goes on with the answers of the next round. */
  goOn(call: Call): void {
    this.#call = call;
    this.answer(call.params.inputResponses);
  }

  /** Calls the listener when the server asks, or reports the task, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Settles with the result, or with undefined once there is a task, or the server waits for answers. */
  async endOfRound(): Promise<JsonObject | undefined> {
    const { signal } = this.#call;
    const giveUp = () => this.giveUp(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    let stop = () => {};
    const left = new Promise<undefined>((resolve) => {
      const check = () => {
        if (this.#task !== undefined || this.#questions.size > 0) resolve(undefined);
      };
      stop = this.onChange(check);
      check();
    });
    try {
      const result = await Promise.race([this.result, left]);
      // Questions that are asked in parallel make one round.
      if (result === undefined) await nextTurn();
      return result;
    } finally {
      stop();
      signal.removeEventListener("abort", giveUp);
    }
  }

  giveUp(reason: unknown): void {
    this.#stop.abort(reason);
  }

  #take(key: string): Question | undefined {
    const question = this.#questions.get(key);
    this.#questions.delete(key);
    return question;
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

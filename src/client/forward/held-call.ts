import type { Call } from "../../contract/call.ts";
import { toCancelled } from "../../contract/cancellation.ts";
import { nextTurn } from "../../lib/async/yield-turn.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { readProgressToken } from "../../protocol/meta.ts";
import type { Asker } from "./asker.ts";

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  readonly answer: (answer: JsonObject) => void;
}

/**
 * A call to a server that asks while it runs, for a caller that is asked between rounds.
 *
 * The call goes on while the caller is away. Each round ends with the questions that are open by then, or with the
 * result. basic/patterns/mrtr (2026-07-28)
 */
export class HeldCall implements Asker {
  readonly #questions = new Map<string, Question>();
  readonly #stop = new AbortController();
  #call: Call;
  #result: Promise<JsonObject> | undefined;
  #onAsked: (() => void) | undefined;
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

  /** The questions that wait for answers, by the keys of the round. */
  get questions(): JsonObject {
    return Object.fromEntries(
      [...this.#questions].map(([key, { method, params }]) => [key, { method, params }]),
    );
  }

  /** Sends a notification with the round that is open. Each round has its own token for progress. */
  readonly notify: Call["notify"] = async (method, params) => {
    if (!("progressToken" in params)) return this.#call.notify(method, params);
    const progressToken = readProgressToken(this.#call.params);
    if (progressToken !== undefined) await this.#call.notify(method, { ...params, progressToken });
  };

  start(result: Promise<JsonObject>): void {
    this.#result = result;
    // A call that fails while its caller is away is reported in the next round.
    result.catch(() => {});
  }

  ask(method: string, params: JsonObject, signal: AbortSignal | undefined): Promise<JsonObject> {
    const key = `q${this.#nextKey++}`;
    return new Promise((answer, reject) => {
      this.#questions.set(key, { method, params, answer });
      signal?.addEventListener(
        "abort",
        () => {
          this.#questions.delete(key);
          reject(toCancelled(method, signal.reason));
        },
        { once: true },
      );
      this.#onAsked?.();
    });
  }

  /** Goes on with the answers of the next round; those to unknown questions are ignored. */
  goOn(call: Call): void {
    this.#call = call;
    const { inputResponses } = call.params;
    if (!isObject(inputResponses)) return;
    for (const [key, answer] of Object.entries(inputResponses)) {
      const question = this.#questions.get(key);
      if (question === undefined || !isObject(answer)) continue;
      this.#questions.delete(key);
      question.answer(answer);
    }
  }

  /** Settles with the result, or with undefined once the server waits for answers. */
  async endOfRound(): Promise<JsonObject | undefined> {
    const { signal } = this.#call;
    const giveUp = () => this.giveUp(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      const result = await Promise.race([this.#result, this.#asked()]);
      // Questions that are asked in parallel make one round.
      if (result === undefined) await nextTurn();
      return result;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  giveUp(reason: unknown): void {
    this.#stop.abort(reason);
  }

  #asked(): Promise<undefined> {
    return new Promise((resolve) => {
      this.#onAsked = () => resolve(undefined);
      if (this.#questions.size > 0) resolve(undefined);
    });
  }
}

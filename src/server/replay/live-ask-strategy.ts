import type { Call } from "../../contract/call.ts";
import { rethrowClientRefusal } from "../errors/rpc-error-origin.ts";
import { type AskStrategy, askTimeout, type EncodedQuestion } from "./ask-strategy.ts";
import { OnceResults } from "./once-results.ts";
import { QuestionNames } from "./question-names.ts";

/** Asks by a request during the call, and waits for the response. */
export class LiveAskStrategy implements AskStrategy {
  readonly #call: Call;
  readonly #names = new QuestionNames();
  readonly #onces = new OnceResults();

  constructor(call: Call) {
    this.#call = call;
  }

  name(key: string | undefined): string {
    return this.#names.assign(key);
  }

  async ask<T>({ method, params, timeout = askTimeout, isTask, read }: EncodedQuestion<T>): Promise<T> {
    const options = { signal: this.#call.signal, timeout };
    const asked = isTask
      ? import("./ask-as-task.ts").then(({ askAsTask }) => askAsTask(this.#call, method, params, options))
      : this.#call.ask(method, params, options);
    return asked.then(read).catch(rethrowClientRefusal);
  }

  once<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    return this.#onces.run(key, run);
  }
}

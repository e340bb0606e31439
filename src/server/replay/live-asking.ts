import type { Call } from "../../peer/call.ts";
import type { Timeout } from "../../peer/deadline.ts";
import type { Asking, Question } from "./asking.ts";
import { Names } from "./names.ts";
import { Onces } from "./onces.ts";
import { noteRefusal } from "./refusal.ts";

/** People take their time, and a client has no sign of life to give meanwhile. */
const askTimeout: Timeout = { idle: 600_000, total: 600_000 };

/** Asks in the middle of a call, which waits for the answer. */
export class LiveAsking implements Asking {
  readonly #call: Call;
  readonly #names = new Names();
  readonly #onces = new Onces({}, () => {});

  constructor(call: Call) {
    this.#call = call;
  }

  name(key: string | undefined): string {
    return this.#names.give(key);
  }

  async ask<T>({ method, params, timeout = askTimeout, isTask, read }: Question<T>): Promise<T> {
    const options = { signal: this.#call.signal, timeout };
    const asked = isTask
      ? import("../tasks/ask-as-task.ts").then(({ askAsTask }) =>
          askAsTask(this.#call, method, params, options),
        )
      : this.#call.ask(method, params, options);
    return read(await asked.catch(noteRefusal));
  }

  once<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    return this.#onces.run(key, run);
  }
}

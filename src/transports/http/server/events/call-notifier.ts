import { TurnYielder } from "../../../../lib/async/yield-turn.ts";
import type { JsonObject } from "../../../../lib/json.ts";
import { encodeNotification } from "../../../../protocol/message.ts";
import { methods } from "../../../../protocol/method-table.ts";

/** The stream on which the notifications of one call go, opened with the first of them. */
export interface NotificationStream {
  /** True when more waits for the reader than allowed; the next notification is then dropped. */
  readonly isFull: boolean;
  /** Waits for a slow reader. */
  send(text: string): void | Promise<void>;
}

export interface NotificationStreamSource {
  /** Undefined when the client gets no events. */
  stream(): NotificationStream | undefined;
}

/**
 * Sends the notifications of one call, with backpressure.
 *
 * A handler that does not wait for its reader loses what there is no room for, never its answer.
 * Progress does not pile up before a slow reader: while one report waits for room, newer ones replace
 * each other, and only the last of them is sent.
 */
export class CallNotifier {
  readonly #source: NotificationStreamSource;
  #yielder: TurnYielder | undefined;
  #latestProgress: string | undefined;
  #sendingProgress: Promise<void> | undefined;

  constructor(source: NotificationStreamSource) {
    this.#source = source;
  }

  notify(method: string, params: JsonObject): Promise<void> {
    const text = encodeNotification(method, params);
    if (!methods.get(method)?.coalesces) return this.#send(text);
    this.#latestProgress = text;
    this.#sendingProgress ??= this.#sendProgress();
    return this.#sendingProgress;
  }

  /** Sends nothing, but lets other work have its turn. */
  skip(): Promise<void> | undefined {
    this.#yielder ??= new TurnYielder();
    return this.#yielder.afterCall();
  }

  async #send(text: string): Promise<void> {
    const stream = this.#source.stream();
    await (stream === undefined || stream.isFull ? this.skip() : stream.send(text));
  }

  async #sendProgress(): Promise<void> {
    try {
      while (this.#latestProgress !== undefined) {
        const text = this.#latestProgress;
        this.#latestProgress = undefined;
        await this.#send(text);
      }
    } finally {
      this.#sendingProgress = undefined;
    }
  }
}

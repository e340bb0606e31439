import { cancelReasonOf, toCancelled } from "../contract/cancellation.ts";
import type { Progress, RequestOptions } from "../contract/channel.ts";
import { ConnectionDeadlines, Deadline } from "../contract/deadline.ts";
import type { JsonObject } from "../lib/json.ts";
import type { RequestId } from "../protocol/message.ts";

interface Waiting {
  readonly method: string;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: RequestOptions["onProgress"];
  readonly onSize: RequestOptions["onSize"];
  readonly deadline: Deadline;
  readonly release: () => void;
}

/** The requests that were sent and have no response yet. */
export class OutgoingRequests {
  readonly #waiting = new Map<RequestId, Waiting>();
  readonly #onSettled: ((id: RequestId, by: "answer" | "us") => void) | undefined;
  readonly #deadlines = new ConnectionDeadlines();

  constructor(onSettled?: (id: RequestId, by: "answer" | "us") => void) {
    this.#onSettled = onSettled;
  }

  /**
   * Registers a request; the promise settles exactly once.
   *
   * `onGiveUp` is called when the request ends by its signal or its deadline, before a response came.
   */
  add(
    id: RequestId,
    method: string,
    options: RequestOptions,
    onGiveUp: (reason: string | undefined) => void,
  ): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const giveUp = (error: Error, reason: string | undefined) => {
        if (this.#take(id, "us") === undefined) return;
        reject(error);
        onGiveUp(reason);
      };
      const { signal, timeout, onProgress, onSize } = options;
      const onExpire = (error: Error) => giveUp(error, error.message);
      const deadline = new Deadline(method, timeout, onExpire, this.#deadlines);
      const onAbort = () => giveUp(toCancelled(method, signal?.reason), cancelReasonOf(signal?.reason));
      signal?.addEventListener("abort", onAbort, { once: true });
      const release = () => signal?.removeEventListener("abort", onAbort);
      this.#waiting.set(id, { method, resolve, reject, onProgress, onSize, deadline, release });
    });
  }

  methodOf(id: RequestId): string | undefined {
    return this.#waiting.get(id)?.method;
  }

  timeLeft(id: RequestId): number {
    return this.#waiting.get(id)?.deadline.timeLeft ?? 0;
  }

  /** Stops all idle deadlines until the returned function is called, once. */
  hold(): () => void {
    return this.#deadlines.hold();
  }

  /** Restarts the idle deadline of one request, or of all. */
  extend(id?: RequestId): void {
    if (id === undefined) this.#deadlines.extend();
    else this.#waiting.get(id)?.deadline.extend();
  }

  /** Settles a request with its result, which came in a text of this size; returns false when the id is unknown. */
  resolve(id: RequestId, result: JsonObject, size = 0): boolean {
    const waiting = this.#take(id, "answer");
    waiting?.onSize?.(size);
    waiting?.resolve(result);
    return waiting !== undefined;
  }

  reject(id: RequestId, error: Error): boolean {
    const waiting = this.#take(id, "answer");
    waiting?.reject(error);
    return waiting !== undefined;
  }

  progress(id: RequestId, progress: Progress): boolean {
    const waiting = this.#waiting.get(id);
    waiting?.deadline.extend();
    waiting?.onProgress?.(progress);
    return waiting !== undefined;
  }

  /** Rejects everything still waiting. Safe to call twice. */
  close(reason: Error): void {
    for (const id of [...this.#waiting.keys()]) this.reject(id, reason);
  }

  #take(id: RequestId, by: "answer" | "us"): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(id);
    waiting.deadline.stop();
    waiting.release();
    this.#onSettled?.(id, by);
    return waiting;
  }
}

import { cancelReasonOf, toCancelled } from "../contract/cancelled-error.ts";
import type { Progress, RequestOptions } from "../contract/channel.ts";
import { ConnectionDeadlines, Deadline } from "../contract/deadline.ts";
import type { JsonObject } from "../lib/json.ts";
import { ShortLivedMap } from "../lib/short-lived-map.ts";
import type { RequestId } from "../protocol/message.ts";

interface OutgoingRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly options: RequestOptions;
  readonly onGiveUp: OnGiveUp;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: Error) => void;
  readonly deadline: Deadline;
  /** Stops listening to the signal, if there is one. */
  readonly release: (() => void) | undefined;
}

/** Called when a request ends by its signal or its deadline, before a response came. */
export type OnGiveUp = (request: OutgoingRequest, reason: string | undefined) => void;

/** The requests that were sent and have no response yet. */
export class OutgoingRequests {
  readonly #waiting = new ShortLivedMap<RequestId, OutgoingRequest>();
  readonly #onSettled: ((id: RequestId, by: "answer" | "us") => void) | undefined;
  readonly #deadlines = new ConnectionDeadlines();

  constructor(onSettled?: (id: RequestId, by: "answer" | "us") => void) {
    this.#onSettled = onSettled;
  }

  /** Registers a request; the promise settles exactly once. */
  add(id: RequestId, method: string, options: RequestOptions, onGiveUp: OnGiveUp): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const onExpire = (error: Error) => this.#giveUp(id, error, error.message);
      const deadline = new Deadline(method, options.timeout, onExpire, this.#deadlines);
      const release = options.signal && this.#listen(id, method, options.signal);
      this.#waiting.set(id, { id, method, options, onGiveUp, resolve, reject, deadline, release });
    });
  }

  methodOf(id: RequestId): string | undefined {
    return this.#waiting.get(id)?.method;
  }

  /** True for a page of a list that is read in parts. A raw request for one has no use for them. */
  isPage(id: RequestId): boolean {
    const request = this.#waiting.get(id);
    return request?.options.onSize !== undefined && request.method.endsWith("/list");
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
    const request = this.#take(id, "answer");
    request?.options.onSize?.(size);
    request?.resolve(result);
    return request !== undefined;
  }

  reject(id: RequestId, error: Error): boolean {
    const request = this.#take(id, "answer");
    request?.reject(error);
    return request !== undefined;
  }

  progress(id: RequestId, progress: Progress): boolean {
    const request = this.#waiting.get(id);
    request?.deadline.extend();
    request?.options.onProgress?.(progress);
    return request !== undefined;
  }

  /** Rejects everything still waiting. Safe to call twice. */
  close(reason: Error): void {
    for (const { id } of this.#waiting.all()) this.reject(id, reason);
  }

  #listen(id: RequestId, method: string, signal: AbortSignal): () => void {
    const onAbort = () => this.#giveUp(id, toCancelled(method, signal.reason), cancelReasonOf(signal.reason));
    signal.addEventListener("abort", onAbort, { once: true });
    return () => signal.removeEventListener("abort", onAbort);
  }

  #giveUp(id: RequestId, error: Error, reason: string | undefined): void {
    const request = this.#take(id, "us");
    if (request === undefined) return;
    request.reject(error);
    request.onGiveUp(request, reason);
  }

  #take(id: RequestId, by: "answer" | "us"): OutgoingRequest | undefined {
    const request = this.#waiting.get(id);
    if (request === undefined) return undefined;
    this.#waiting.delete(id);
    request.deadline.stop();
    request.release?.();
    this.#onSettled?.(id, by);
    return request;
  }
}

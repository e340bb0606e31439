import type { IncomingRequest } from "../contract/channel.ts";
import type { JsonObject } from "../lib/json.ts";
import { ShortLivedMap } from "../lib/short-lived-map.ts";
import type { RequestId, RpcRequest } from "../protocol/message.ts";

/** A request that has no response yet. Its signal is created on first use. */
class UnansweredRequest implements IncomingRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly size: number;
  readonly relatedTo: RequestId | undefined;
  cancelled = false;
  answered = false;
  #controller: AbortController | undefined;
  #reason: unknown;

  constructor(request: RpcRequest, size: number, relatedTo: RequestId | undefined) {
    this.size = size;
    this.relatedTo = relatedTo;
    this.id = request.id;
    this.method = request.method;
    this.params = request.params;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.cancelled && !this.#controller.signal.aborted) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.cancelled = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

export type { UnansweredRequest };

/** The requests that have arrived and have no response yet. */
export class IncomingRequests {
  readonly #open = new ShortLivedMap<RequestId, UnansweredRequest>();
  readonly #onIdle: (() => void)[] = [];

  /**
   * Registers a request, which came in a text of this size; undefined when a request with this id is still open.
   *
   * basic#requests (2026-07-28)
   */
  begin(request: RpcRequest, size = 0, relatedTo?: RequestId): UnansweredRequest | undefined {
    if (this.#open.get(request.id) !== undefined) return undefined;
    const unanswered = new UnansweredRequest(request, size, relatedTo);
    this.#open.set(request.id, unanswered);
    return unanswered;
  }

  end(request: UnansweredRequest): void {
    request.answered = true;
    if (this.#open.get(request.id) === request) this.#remove(request.id);
  }

  /** Cancels a request; false when none is open under this id. It gets no response, so its id is free again. */
  cancel(id: RequestId, reason: unknown): boolean {
    const request = this.#open.get(id);
    if (request === undefined) return false;
    this.#remove(id);
    request.abort(reason);
    return true;
  }

  /** Settles once no request is open. */
  idle(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  all(): readonly IncomingRequest[] {
    return this.#open.all();
  }

  methodOf(id: RequestId): string | undefined {
    return this.#open.get(id)?.method;
  }

  close(reason: unknown): void {
    for (const { id } of this.#open.all()) this.cancel(id, reason);
  }

  #remove(id: RequestId): void {
    this.#open.delete(id);
    if (this.#open.size > 0 || this.#onIdle.length === 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}

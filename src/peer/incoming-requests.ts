import type { IncomingRequest } from "../contract/channel.ts";
import type { JsonObject } from "../lib/json.ts";
import type { RequestId, RpcRequest } from "../protocol/message.ts";

/** A request being answered. Its signal is made only when somebody looks at it. */
class UnansweredRequest implements IncomingRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  cancelled = false;
  answered = false;
  #controller: AbortController | undefined;
  #reason: unknown;

  constructor(request: RpcRequest) {
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

/** Requests that have arrived and are not answered yet. */
export class IncomingRequests {
  readonly #open = new Map<RequestId, UnansweredRequest>();
  readonly #onIdle: (() => void)[] = [];

  /** Undefined when a request with this id is already being answered. */
  begin(request: RpcRequest): UnansweredRequest | undefined {
    if (this.#open.has(request.id)) return undefined;
    const answering = new UnansweredRequest(request);
    this.#open.set(request.id, answering);
    return answering;
  }

  end(answering: UnansweredRequest): void {
    answering.answered = true;
    if (this.#open.get(answering.id) === answering) this.#forget(answering.id);
  }

  /** Nothing more is sent for a cancelled request, so its id is free again. */
  cancel(id: RequestId, reason: unknown): void {
    const answering = this.#open.get(id);
    if (answering === undefined) return;
    this.#forget(id);
    answering.abort(reason);
  }

  /** Settles once nothing is open. */
  idle(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  methodOf(id: RequestId): string | undefined {
    return this.#open.get(id)?.method;
  }

  close(reason: unknown): void {
    for (const id of [...this.#open.keys()]) this.cancel(id, reason);
  }

  #forget(id: RequestId): void {
    this.#open.delete(id);
    if (this.#open.size > 0 || this.#onIdle.length === 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}

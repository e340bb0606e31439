import { RpcError } from "../errors.ts";
import { callPartsLoaded } from "../lib/async/on-demand.ts";
import { WireCode } from "../protocol/wire-error.ts";
import type { PipeCall } from "./pipe-call.ts";

const maxWaitingCalls = 10_000;
const maxWaitingBytes = 4 * 1024 * 1024;

interface Waiting {
  readonly size: number;
  readonly start: () => void;
}

/** The calls of one connection: a limited number runs, and others wait for room, or for code, in their order. */
export class CallQueue {
  readonly #maxRunning: number;
  readonly #maxWaiting: number;
  readonly #pauseUntil: (loaded: Promise<void>) => void;
  readonly #waiting = new Set<Waiting>();
  #waitingBytes = 0;
  #running = 0;
  #awaited: Promise<void> | undefined;

  /** `pauseUntil` stops the input: while code is loaded, no more calls are read. */
  constructor(
    maxRunning: number,
    pauseUntil: (loaded: Promise<void>) => void,
    maxWaiting: number = maxWaitingCalls,
  ) {
    this.#maxRunning = maxRunning;
    this.#maxWaiting = maxWaiting;
    this.#pauseUntil = pauseUntil;
  }

  /** Starts a call: at once, unless it has to wait for code, for room, or for calls that came before it. */
  add(call: PipeCall, start: (call: PipeCall) => unknown): unknown {
    const loading = callPartsLoaded();
    if (loading !== undefined) this.#startAfter(loading);
    else if (this.#running < this.#maxRunning && this.#waiting.size === 0) return start(call);
    else if (this.#waiting.size >= this.#maxWaiting || this.#waitingBytes + call.size > maxWaitingBytes)
      throw tooManyCalls(this.#maxRunning);
    const { size } = call;
    this.#waitingBytes += size;
    return new Promise((resolve) => {
      const begin = async () => start(call);
      const waiting = { size, start: () => resolve(begin()) };
      this.#waiting.add(waiting);
      call.signal.addEventListener("abort", () => {
        this.#leave(waiting);
        resolve(undefined);
      });
    });
  }

  /** Counts a call that does not end at once; `end` must follow. */
  begin(): void {
    this.#running++;
  }

  end(): void {
    this.#running--;
    this.#startWaiting();
  }

  #startAfter(loading: Promise<void>): void {
    if (this.#awaited === loading) return;
    this.#awaited = loading;
    void loading.then(() => this.#startWaiting());
    this.#pauseUntil(loading);
  }

  /** Starts calls that wait, as long as there is room; the first of them may need more code. */
  #startWaiting(): void {
    for (const waiting of this.#waiting) {
      if (this.#running >= this.#maxRunning) return;
      const loading = callPartsLoaded();
      if (loading !== undefined) return this.#startAfter(loading);
      this.#leave(waiting);
      waiting.start();
    }
  }

  #leave(waiting: Waiting): void {
    if (this.#waiting.delete(waiting)) this.#waitingBytes -= waiting.size;
  }
}

function tooManyCalls(max: number): RpcError {
  const message = `Too many calls at once: ${max} run on this connection, and no more may wait.`;
  return new RpcError(WireCode.internal, message);
}

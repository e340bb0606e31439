import { RpcError } from "../errors.ts";
import { callPartsLoaded } from "../lib/async/on-demand.ts";
import { WireCode } from "../protocol/wire-error.ts";
import type { PipeCall } from "./pipe-call.ts";

const maxWaitingCalls = 10_000;
const maxWaitingBytes = 4 * 1024 * 1024;

/** The calls of one connection: a limited number runs, and others wait for room, or for code, in their order. */
export class CallQueue {
  readonly #maxRunning: number;
  readonly #maxWaiting: number;
  readonly #pauseUntil: (loaded: Promise<void>) => void;
  readonly #waiting: (() => void)[] = [];
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
    else if (this.#running < this.#maxRunning && this.#waiting.length === 0) return start(call);
    else if (this.#waiting.length >= this.#maxWaiting || this.#waitingBytes + call.size > maxWaitingBytes)
      throw tooManyCalls(this.#maxRunning);
    this.#waitingBytes += call.size;
    return new Promise((resolve) => {
      const startUnlessCancelled = async () => (call.signal.aborted ? undefined : start(call));
      this.#waiting.push(() => {
        this.#waitingBytes -= call.size;
        resolve(startUnlessCancelled());
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
    while (this.#waiting.length > 0 && this.#running < this.#maxRunning) {
      const loading = callPartsLoaded();
      if (loading !== undefined) return this.#startAfter(loading);
      this.#waiting.shift()?.();
    }
  }
}

function tooManyCalls(max: number): RpcError {
  const message = `Too many calls at once: ${max} run on this connection, and no more may wait.`;
  return new RpcError(WireCode.internal, message);
}

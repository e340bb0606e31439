import type { PingOptions } from "../contract/ping.ts";
import { ConnectionClosedError, RpcError } from "../errors.ts";
import { startBackgroundTimer } from "../lib/async/timers.ts";

export interface PingParts {
  /** Sends one ping; undefined while none may be sent. */
  ping(timeoutMs: number): Promise<unknown> | undefined;
  onProblem(problem: Error): void;
  /** Closes the connection. */
  close(reason: Error): unknown;
}

const longestWaitMs = 10_000;

/**
 * Sends pings at an interval, reports those that fail, and closes the connection after several.
 *
 * basic/utilities/ping#implementation-considerations (2025-11-25)
 */
export class Pings {
  readonly #parts: PingParts;
  readonly #timeoutMs: number;
  readonly #maxFailures: number;
  readonly #timer: ReturnType<typeof setInterval>;
  #isWaiting = false;
  #isStopped = false;
  #failures = 0;

  constructor({ everyMs, timeoutMs, maxFailures = 3 }: PingOptions, parts: PingParts) {
    this.#parts = parts;
    this.#timeoutMs = timeoutMs ?? Math.min(everyMs, longestWaitMs);
    this.#maxFailures = maxFailures;
    this.#timer = startBackgroundTimer(() => void this.#ping(), everyMs);
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  async #ping(): Promise<void> {
    const answer = this.#isWaiting ? undefined : this.#parts.ping(this.#timeoutMs);
    if (answer === undefined) return;
    this.#isWaiting = true;
    try {
      await answer;
      this.#failures = 0;
    } catch (error) {
      this.#onFailure(error as Error);
    } finally {
      this.#isWaiting = false;
    }
  }

  #onFailure(error: Error): void {
    // A connection that was closed needs no ping; a peer that refuses pings is alive.
    if (this.#isStopped || error instanceof ConnectionClosedError) return;
    if (error instanceof RpcError) this.#failures = 0;
    else this.#onSilence(error);
  }

  #onSilence(cause: Error): void {
    this.#failures++;
    if (this.#failures < this.#maxFailures)
      return this.#parts.onProblem(new Error(`A ping was not answered: ${cause.message}`, { cause }));
    this.stop();
    const message = `The connection was closed, because ${this.#failures} pings in a row were not answered.`;
    this.#parts.close(new ConnectionClosedError(message, { cause }));
  }
}

import { StoreUnavailableError } from "../errors/overloaded-error.ts";
import { McpError } from "../errors.ts";
import { afterAwake } from "../lib/async/timers.ts";

/** The time for which a store may answer nothing at all while an operation waits. So its outage is found within a second. */
const silenceMs = 800;
/** The time that an operation may wait in a store that answers others meanwhile. It is busy then, and not away. */
const operationMs = 10_000;
/** Failures in a row after which the store is taken for away. One alone may be about what was sent. */
const maxFailures = 3;
const firstPauseMs = 100;
const maxPauseMs = 2_000;

/**
 * Lets operations through to a store while it answers. Once it does not, they fail at once, except for one now and
 * then that finds out whether it is back.
 */
export class CircuitBreaker {
  #failures = 0;
  #isAway = false;
  #isProbing = false;
  #pauseMs = firstPauseMs;
  #probeAt = 0;
  #answeredAt = 0;

  run<T>(operation: () => T): T | Promise<Awaited<T>> {
    const isProbe = this.#begin();
    try {
      const outcome = operation();
      if (outcome instanceof Promise) return this.#settle(outcome, isProbe);
      this.#onAnswer(isProbe);
      return outcome;
    } catch (error) {
      throw this.#toError(error, isProbe);
    }
  }

  /** Returns whether the operation is the one that finds out. */
  #begin(): boolean {
    if (!this.#isAway) return false;
    if (this.#isProbing || performance.now() < this.#probeAt)
      throw new StoreUnavailableError("The store of the server can't be reached; the server keeps trying.");
    this.#isProbing = true;
    return true;
  }

  #settle<T>(outcome: Promise<T>, isProbe: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const startedAt = performance.now();
      let stop: () => void;
      const look = () => {
        const silentFor = performance.now() - Math.max(startedAt, this.#answeredAt);
        if (silentFor >= silenceMs) this.#onLate(isProbe);
        else if (performance.now() - startedAt < operationMs) {
          stop = afterAwake(silenceMs - silentFor, look);
          return;
        } else if (isProbe) this.#isProbing = false;
        reject(new StoreUnavailableError("The store of the server has not answered in time."));
      };
      stop = afterAwake(silenceMs, look);
      outcome.then(
        (value) => {
          stop();
          this.#onAnswer(isProbe);
          resolve(value);
        },
        (error: unknown) => {
          stop();
          reject(this.#toError(error, isProbe));
        },
      );
    });
  }

  #onAnswer(isProbe: boolean): void {
    if (isProbe) this.#isProbing = false;
    this.#failures = 0;
    this.#answeredAt = performance.now();
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#pauseMs = firstPauseMs;
  }

  #onLate(isProbe: boolean): void {
    this.#failures = maxFailures;
    this.#onFailure(isProbe);
  }

  #onFailure(isProbe: boolean): void {
    if (isProbe) {
      this.#isProbing = false;
      this.#pauseMs = Math.min(this.#pauseMs * 2, maxPauseMs);
    } else if (this.#isAway || this.#failures < maxFailures) return;
    this.#isAway = true;
    this.#probeAt = performance.now() + this.#pauseMs;
  }

  /** An error of ours is an answer of the store; any other means that there was none. */
  #toError(cause: unknown, isProbe: boolean): McpError {
    if (cause instanceof McpError) {
      this.#onAnswer(isProbe);
      return cause;
    }
    this.#failures++;
    this.#onFailure(isProbe);
    return new StoreUnavailableError("The store of the server does not answer.", { cause });
  }
}

import { orAborted } from "./abort.ts";

interface Flight<T> {
  readonly outcome: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}

/** Work that is done once for all callers that wait for it; stops when the last of them gives up. */
export class SingleFlight<T> {
  readonly #toError: (reason: unknown) => unknown;
  #flight: Flight<T> | undefined;

  /** `toError` makes the error of a caller whose signal aborts. Default: the reason of the signal. */
  constructor(toError: (reason: unknown) => unknown = (reason) => reason) {
    this.#toError = toError;
  }

  async join(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (signal.aborted) throw this.#toError(signal.reason);
    const flight = this.#flight ?? this.#begin(work);
    flight.waiting++;
    try {
      return await orAborted(flight.outcome, signal, this.#toError);
    } finally {
      flight.waiting--;
      if (flight.waiting === 0) this.#leave(flight);
    }
  }

  #begin(work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const stop = new AbortController();
    const outcome = work(stop.signal);
    // Callers that still wait receive the rejection; without any, it needs no handler.
    outcome.catch(() => {});
    const flight: Flight<T> = { outcome, stop, waiting: 0 };
    this.#flight = flight;
    const done = () => {
      if (this.#flight === flight) this.#flight = undefined;
    };
    outcome.then(done, done);
    return flight;
  }

  #leave(flight: Flight<T>): void {
    if (this.#flight === flight) this.#flight = undefined;
    flight.stop.abort();
  }
}

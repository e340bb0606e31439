import { settlesWithin } from "../lib/async/wait-at-most.ts";
import { invalidRequest } from "../protocol/wire-error.ts";

const longestWaitMs = 5_000;

/**
 * The state of a session between `initialize` and `notifications/initialized`.
 *
 * basic/lifecycle#initialization (2025-11-25): until then the server sends no requests.
 */
export class Initialized {
  #isDone: boolean;
  #waiting: (() => void)[] | undefined;

  constructor(isDone = false) {
    this.#isDone = isDone;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  mark(): void {
    this.#isDone = true;
    for (const resolve of this.#waiting?.splice(0) ?? []) resolve();
  }

  /** Settles when the client may be asked. Rejects for a client that does not report it: over HTTP it may be under way. */
  async wait(): Promise<void> {
    if (this.#isDone) return;
    const waiting = this.#waiting ?? [];
    this.#waiting = waiting;
    const marked = new Promise<void>((resolve) => waiting.push(resolve));
    if (await settlesWithin(longestWaitMs, marked)) return;
    throw invalidRequest("The client can't be asked: it has not sent notifications/initialized.");
  }
}

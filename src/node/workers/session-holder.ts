import { runLater } from "../../lib/async/timers.ts";
import { leaseMs } from "./session-lease.ts";

/** A timer may fire a little before its time. */
const earlyMs = 5;

/** A worker that holds copies of sessions, as the primary sees it. */
export class SessionHolder {
  readonly #send: (drop: number, session: string) => void;
  readonly #waiting = new Map<number, () => void>();
  #leaseEndsAt = 0;
  #lastDrop = 0;
  #hasEnded = false;

  /** `send` asks the worker to drop a copy, and to confirm it with the number. */
  constructor(send: (drop: number, session: string) => void) {
    this.#send = send;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Lets the worker use its copies from now on. */
  renewLease(): void {
    this.#leaseEndsAt = performance.now() + leaseMs;
  }

  /**
   * Resolves when the worker no longer uses its copy: it has confirmed it, its lease is over, or it has ended.
   *
   * An answer that renews its lease meanwhile comes to it after this message, so that the wait gets no longer.
   */
  drop(session: string): Promise<void> {
    if (this.#hasEnded) return Promise.resolve();
    const drop = ++this.#lastDrop;
    this.#send(drop, session);
    const leftMs = this.#leaseEndsAt - performance.now();
    if (leftMs <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(drop);
        resolve();
      };
      const timer = runLater(end, leftMs + earlyMs);
      this.#waiting.set(drop, end);
    });
  }

  onDropped(drop: number): void {
    this.#waiting.get(drop)?.();
  }

  end(): void {
    this.#hasEnded = true;
    for (const end of [...this.#waiting.values()]) end();
  }
}

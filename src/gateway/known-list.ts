import { waitAtMost } from "../lib/async/wait-at-most.ts";

/** A list that was read before is waited for so long; then the last one is served. */
const refreshMs = 200;
/** A server is asked for the same list again after this time at the earliest, unless it announces a change. */
const retryMs = 1_000;
/** Servers that report no changes are asked again after this time. */
const staleMs = 300_000;

interface Reading<T> {
  readonly items: Promise<readonly T[]>;
  readonly startedAt: number;
  /** Somebody was served without it. */
  isMissed: boolean;
}

export interface KnownListParts<T> {
  /** Reads the list; calls `onAsk` when the server is asked, since changes from then on may be missing. */
  read(onAsk: () => void): Promise<readonly T[]>;
  /** True if the server reports changes. */
  isAnnounced(): boolean;
  /** Called when a list that was waited for in vain is there. */
  onLate(): void;
  onFailure(error: Error): void;
}

/** One list of a server: the last that was read, and the one reading that is open. */
export class KnownList<T> {
  readonly #parts: KnownListParts<T>;
  #last: readonly T[] = [];
  #open: Reading<T> | undefined;
  #isFresh = false;
  #askedAt = Number.NEGATIVE_INFINITY;
  #hasEnded = false;
  /** Set when a wait was in vain, until a reading succeeds: nobody waits a second time. */
  #isLate = false;

  constructor(parts: KnownListParts<T>) {
    this.#parts = parts;
  }

  /** The items, if they come in time, else those that were read last. */
  async items(waitMs: number): Promise<readonly T[]> {
    const reading = this.#open ?? (this.#isDue() ? this.#begin() : undefined);
    if (reading === undefined) return this.#last;
    const longest = this.#hasEnded ? Math.min(refreshMs, waitMs) : waitMs;
    const leftMs = this.#isLate ? 0 : Math.max(0, reading.startedAt + longest - Date.now());
    return waitAtMost(leftMs, reading.items, () => {
      this.#isLate = true;
      reading.isMissed = true;
      return this.#last;
    });
  }

  /** Takes note that the list has changed. */
  forget(): void {
    this.#isFresh = false;
    this.#askedAt = Number.NEGATIVE_INFINITY;
  }

  #isDue(): boolean {
    const age = Date.now() - this.#askedAt;
    return this.#isFresh ? !this.#parts.isAnnounced() && age >= staleMs : age >= retryMs;
  }

  #begin(): Reading<T> {
    const reading: Reading<T> = { items: this.#read(), startedAt: Date.now(), isMissed: false };
    this.#open = reading;
    void reading.items.then(() => {
      this.#open = undefined;
      this.#hasEnded = true;
      if (reading.isMissed && !this.#isLate) this.#parts.onLate();
    });
    return reading;
  }

  async #read(): Promise<readonly T[]> {
    try {
      this.#last = await this.#parts.read(() => {
        this.#isFresh = true;
        this.#askedAt = Date.now();
      });
      this.#isLate = false;
    } catch (error) {
      this.#isFresh = false;
      this.#parts.onFailure(error as Error);
    }
    return this.#last;
  }
}

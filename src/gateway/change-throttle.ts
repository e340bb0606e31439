import { runLater } from "../lib/async/timers.ts";

/** Tells of a change at once, but of each kind at most once in a time: what comes meanwhile is told when it has passed. */
export class ChangeThrottle<Kind> {
  readonly #everyMs: number;
  readonly #tell: (kind: Kind) => void;
  /** The kinds that were told lately, and whether there was another change since. */
  readonly #told = new Map<Kind, { readonly timer: ReturnType<typeof setTimeout>; hasMore: boolean }>();

  constructor(everyMs: number, tell: (kind: Kind) => void) {
    this.#everyMs = everyMs;
    this.#tell = tell;
  }

  add(kind: Kind): void {
    const told = this.#told.get(kind);
    if (told) told.hasMore = true;
    else this.#tellNow(kind);
  }

  /** Drops what waits. */
  close(): void {
    for (const { timer } of this.#told.values()) clearTimeout(timer);
    this.#told.clear();
  }

  #tellNow(kind: Kind): void {
    const timer = runLater(() => {
      const hasMore = this.#told.get(kind)?.hasMore;
      this.#told.delete(kind);
      if (hasMore) this.#tellNow(kind);
    }, this.#everyMs);
    this.#told.set(kind, { timer, hasMore: false });
    this.#tell(kind);
  }
}

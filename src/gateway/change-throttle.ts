import { runLater } from "../lib/async/timers.ts";

/**
 * Reports a change at once, and each kind at most once in `everyMs`. A change that comes earlier is reported when that
 * time has passed.
 */
export class ChangeThrottle<Kind> {
  readonly #everyMs: number;
  readonly #report: (kind: Kind) => void;
  /** The kinds that were reported lately, and whether there was another change since. */
  readonly #recent = new Map<Kind, { readonly timer: ReturnType<typeof setTimeout>; hasMore: boolean }>();

  constructor(everyMs: number, report: (kind: Kind) => void) {
    this.#everyMs = everyMs;
    this.#report = report;
  }

  add(kind: Kind): void {
    const recent = this.#recent.get(kind);
    if (recent) recent.hasMore = true;
    else this.#reportNow(kind);
  }

  /** Drops what waits. */
  close(): void {
    for (const { timer } of this.#recent.values()) clearTimeout(timer);
    this.#recent.clear();
  }

  #reportNow(kind: Kind): void {
    const timer = runLater(() => {
      const hasMore = this.#recent.get(kind)?.hasMore;
      this.#recent.delete(kind);
      if (hasMore) this.#reportNow(kind);
    }, this.#everyMs);
    this.#recent.set(kind, { timer, hasMore: false });
    this.#report(kind);
  }
}

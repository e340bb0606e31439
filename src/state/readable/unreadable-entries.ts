import { StoredFormatError } from "../../errors.ts";
import { attempt, type MaybePromise } from "../../lib/async/maybe-promise.ts";
import { RecentMap } from "../../lib/bounded/recent-map.ts";

/** The entries that were reported, and the time for which they are not reported again. */
const maxReported = 1_000;
const reportedMs = 24 * 3_600_000;

/** Entries that can't be read and so count as unknown. They stay as they are, since a newer node may be able to read them. */
export class UnreadableEntries {
  readonly #report: (cause: unknown) => void;
  readonly #reported = new RecentMap<true>(maxReported);

  constructor(report: (cause: unknown) => void) {
    this.#report = report;
  }

  /** The entry that `find` finds; undefined for one that can't be read. */
  skip<T>(id: string, find: () => MaybePromise<T | undefined>): MaybePromise<T | undefined> {
    return attempt<T | undefined, T | undefined>(
      find,
      (found) => found,
      (error) => {
        if (!(error instanceof StoredFormatError)) throw error;
        this.add(id, error);
        return undefined;
      },
    );
  }

  /** Reports an entry, once. */
  add(id: string, cause?: unknown): void {
    if (this.#reported.get(id)) return;
    this.#reported.set(id, true, reportedMs);
    this.#report(cause);
  }
}

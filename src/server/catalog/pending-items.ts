import type { LogSink } from "../log.ts";

/** The items of a catalog whose schemas wait until a converter for their library is loaded. */
export class PendingItems {
  readonly #log: LogSink;
  #ready: Promise<void> | undefined;
  #isOffered = false;

  constructor(log: LogSink) {
    this.#log = log;
  }

  /** Resolves when nothing is pending, and is undefined from then on; rejects, indefinitely, if an item can't be used. */
  get ready(): Promise<void> | undefined {
    return this.#ready;
  }

  /** Logs the failures of later items, which must not end a server that is in use. */
  offer(): void {
    this.#isOffered = true;
  }

  add(item: Promise<unknown>): void {
    const report = (cause: unknown) => this.#log({ message: "A late registration failed", cause });
    const settled = this.#isOffered ? item.catch(report) : item;
    const ready: Promise<void> = Promise.all([this.#ready, settled]).then(() => {
      if (this.#ready === ready) this.#ready = undefined;
    });
    // The failure is for those that serve; there may be none yet.
    ready.catch(() => {});
    this.#ready = ready;
  }
}

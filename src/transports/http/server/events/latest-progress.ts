/**
 * Keeps progress from piling up before a slow reader: while one report waits for room,
 * newer ones replace each other, and only the last of them is sent.
 */
export class LatestProgress {
  #next: (() => Promise<void>) | undefined;
  #sending: Promise<void> | undefined;

  send(report: () => Promise<void>): Promise<void> {
    this.#next = report;
    this.#sending ??= this.#drain();
    return this.#sending;
  }

  async #drain(): Promise<void> {
    try {
      while (this.#next) {
        const report = this.#next;
        this.#next = undefined;
        await report();
      }
    } finally {
      this.#sending = undefined;
    }
  }
}

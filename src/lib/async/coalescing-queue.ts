/**
 * A queue that holds the latest value of each key and sends one value at a time.
 *
 * Its length is bounded by the number of keys, however slow the receiver is.
 */
export class CoalescingQueue<T> {
  readonly #send: (value: T) => Promise<void>;
  readonly #onFailure: (error: Error) => void;
  readonly #waiting = new Map<string, T>();
  #sending: Promise<void> | undefined;

  /** Nothing is sent before `first` has settled. A failure drops what waits. */
  constructor(send: (value: T) => Promise<void>, onFailure: (error: Error) => void, first?: Promise<void>) {
    this.#send = send;
    this.#onFailure = onFailure;
    this.#sending = first && this.#sendAll(first);
  }

  add(key: string, value: T): void {
    this.#waiting.set(key, value);
    this.#sending ??= this.#sendAll();
  }

  /** Settles when nothing waits. */
  async idle(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(first?: Promise<void>): Promise<void> {
    try {
      if (first !== undefined) await first;
      // The iterator of a Map also visits entries that are added meanwhile.
      for (const [key, value] of this.#waiting) {
        this.#waiting.delete(key);
        await this.#send(value);
      }
    } catch (error) {
      this.#waiting.clear();
      this.#onFailure(error as Error);
    } finally {
      this.#sending = undefined;
    }
  }
}

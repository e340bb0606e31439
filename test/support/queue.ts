/** Things that arrive, to be awaited one by one. */
export class Queue<T> {
  readonly #items: T[] = [];
  readonly #waiting: ((item: T) => void)[] = [];

  push(item: T): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting(item);
    else this.#items.push(item);
  }

  next(): Promise<T> {
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve(item);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The next so many. */
  async take(count: number): Promise<T[]> {
    const items: T[] = [];
    while (items.length < count) items.push(await this.next());
    return items;
  }

  /** What has arrived and nobody waited for. */
  drain(): T[] {
    return this.#items.splice(0);
  }
}

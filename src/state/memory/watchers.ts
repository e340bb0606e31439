/** The listeners of streams. Each is called once for all that was appended in one turn. */
export class Watchers {
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #due = new Set<() => void>();

  /** Returns the function that removes the listener. */
  add(stream: string, listener: () => void): () => void {
    const own = () => listener();
    const listeners = this.#listeners.get(stream) ?? new Set();
    this.#listeners.set(stream, listeners.add(own));
    return () => {
      this.#due.delete(own);
      listeners.delete(own);
      if (listeners.size === 0 && this.#listeners.get(stream) === listeners) this.#listeners.delete(stream);
    };
  }

  notify(stream: string): void {
    const listeners = this.#listeners.get(stream);
    if (listeners === undefined) return;
    if (this.#due.size === 0) queueMicrotask(() => this.#callDue());
    for (const listener of listeners) this.#due.add(listener);
  }

  #callDue(): void {
    const due = [...this.#due];
    this.#due.clear();
    for (const listener of due) listener();
  }
}

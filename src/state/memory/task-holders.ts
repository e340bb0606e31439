interface HeldTasks<T> {
  open: number;
  /** Those that have ended, the oldest first. */
  readonly ended: Set<T>;
}

/** The tasks of each holder, by whether they have ended. */
export class TaskHolders<T> {
  readonly #held = new Map<string, HeldTasks<T>>();

  /** The number of tasks that have not ended. */
  openOf(holder: string): number {
    return this.#held.get(holder)?.open ?? 0;
  }

  /** The tasks that have ended, without the newest `max`. */
  endedBeyond(holder: string, max: number): T[] {
    const ended = this.#held.get(holder)?.ended;
    return ended === undefined || ended.size <= max ? [] : [...ended].slice(0, ended.size - max);
  }

  open(holder: string): void {
    const held = this.#held.get(holder) ?? { open: 0, ended: new Set() };
    held.open++;
    this.#held.set(holder, held);
  }

  end(holder: string, task: T): void {
    const held = this.#held.get(holder);
    if (held === undefined) return;
    held.open--;
    held.ended.add(task);
  }

  remove(holder: string, task: T): void {
    const held = this.#held.get(holder);
    if (held === undefined) return;
    if (!held.ended.delete(task)) held.open--;
    if (held.open + held.ended.size === 0) this.#held.delete(holder);
  }
}

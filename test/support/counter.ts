/** A number that goes up and down, and whose values can be awaited. */
export class Counter {
  #value = 0;
  #waiting: { readonly value: number; readonly resolve: () => void }[] = [];

  get value(): number {
    return this.#value;
  }

  add(change: number): void {
    this.#value += change;
    const met = this.#waiting.filter(({ value }) => value === this.#value);
    this.#waiting = this.#waiting.filter(({ value }) => value !== this.#value);
    for (const { resolve } of met) resolve();
  }

  /** Resolves as soon as the number is this one, which may be now. */
  async reached(value: number): Promise<void> {
    if (value !== this.#value) await new Promise<void>((resolve) => this.#waiting.push({ value, resolve }));
  }
}

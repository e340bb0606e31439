/** An input that can be paused. */
export interface PausableInput {
  pause(): void;
  resume(): void;
}

/** Backpressure for several reasons: an input is read again when the last of them has settled. */
export class InputPause {
  readonly #input: PausableInput;
  readonly #reasons = new Set<Promise<unknown>>();

  constructor(input: PausableInput) {
    this.#input = input;
  }

  get isOn(): boolean {
    return this.#reasons.size > 0;
  }

  until(reason: Promise<unknown>): void {
    if (this.#reasons.has(reason)) return;
    if (!this.isOn) this.#input.pause();
    this.#reasons.add(reason);
    const end = (): void => {
      this.#reasons.delete(reason);
      if (!this.isOn) this.#input.resume();
    };
    reason.then(end, end);
  }
}

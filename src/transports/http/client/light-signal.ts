/**
 * A signal and its controller, for those who only wait for the end of something. An AbortSignal costs a fifth of a request
 * over HTTP, so one is made only for those who need it.
 */
export class LightSignal {
  readonly #listeners = new Set<() => void>();
  #controller: AbortController | undefined;
  #aborted = false;
  #reason: unknown;

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** As that of an AbortSignal, which may stand in its place. */
  addEventListener(_type: "abort", listener: () => void, _options: { readonly once: true }): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.delete(listener);
  }

  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = new DOMException("This operation was aborted", "AbortError");
    this.#controller?.abort(this.#reason);
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  toAbortSignal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }
}

export function toAbortSignal(signal: AbortSignal | LightSignal): AbortSignal {
  return signal instanceof LightSignal ? signal.toAbortSignal() : signal;
}

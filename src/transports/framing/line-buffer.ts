const minCapacity = 64 * 1024;
const maxKeptCapacity = 1024 * 1024;

/** The beginning of a line whose end has not arrived. It grows by doubling, so that the cost of appending stays linear. */
export class LineBuffer {
  readonly #maxBytes: number;
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#length;
  }

  append(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#bytes.length) this.#grow(needed);
    this.#bytes.set(bytes, this.#length);
    this.#length = needed;
  }

  /** Empties the buffer; the returned bytes are valid until the next `append`. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    if (this.#bytes.length > maxKeptCapacity) this.#bytes = Buffer.alloc(0);
    return taken;
  }

  #grow(needed: number): void {
    const doubled = Math.max(minCapacity, this.#bytes.length * 2);
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(doubled, this.#maxBytes)));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

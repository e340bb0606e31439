/** Bytes with memory of their own, as Web Crypto wants them. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** The parts in one piece; a part that is alone is returned as it is, without a copy. */
export function concatBytes<T extends Uint8Array>(parts: readonly T[]): T | Bytes {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Pieces that are kept as they came, before small ones are copied together. */
const maxPieces = 256;
const smallBytes = 1_024;
const blockBytes = 64 * 1_024;

/** Collects bytes that arrive in pieces. However small these are, they take little more than their own size. */
export class ByteCollector {
  readonly #pieces: Uint8Array[] = [];
  /** A block of small pieces, and how much of it is used. */
  #block: Uint8Array | undefined;
  #used = 0;
  size = 0;

  add(piece: Uint8Array): void {
    this.size += piece.length;
    if (this.#pieces.length < maxPieces || piece.length >= smallBytes) {
      this.#endBlock();
      this.#pieces.push(piece);
      return;
    }
    if (this.#block === undefined || this.#used + piece.length > blockBytes) {
      this.#endBlock();
      this.#block = new Uint8Array(blockBytes);
    }
    this.#block.set(piece, this.#used);
    this.#used += piece.length;
  }

  /** Everything in one piece. */
  join(): Uint8Array {
    this.#endBlock();
    return concatBytes(this.#pieces);
  }

  #endBlock(): void {
    if (this.#block === undefined) return;
    this.#pieces.push(this.#block.subarray(0, this.#used));
    this.#block = undefined;
    this.#used = 0;
  }
}

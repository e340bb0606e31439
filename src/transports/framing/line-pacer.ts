import type { Readable } from "node:stream";

/** Lines that are handled before other work gets a turn. */
const linesPerTurn = 1_000;

/** Pauses a stream that brings many lines until the next turn, so that a flood does not stop timers. */
export class LinePacer {
  readonly #stream: Readable;
  #paceAt = linesPerTurn;

  constructor(stream: Readable) {
    this.#stream = stream;
  }

  /** Called after each chunk with the number of lines that the stream has brought so far. */
  onChunk(linesRead: number): void {
    if (linesRead < this.#paceAt) return;
    this.#paceAt = linesRead + linesPerTurn;
    this.#stream.pause();
    setImmediate(() => this.#stream.resume());
  }
}

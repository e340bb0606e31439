import type { LineReader } from "../framing/line-reader.ts";

export interface UnfinishedLineOptions {
  /** The time that a message may take to arrive. */
  readonly messageMs: number;
  /** Takes room for the bytes that have arrived; false when there is none. */
  readonly hold: (bytes: number) => boolean;
  readonly cut: (why: string) => void;
}

const newline = 0x0a;

/** The line that has begun to arrive over one connection; it has room and time for the rest. */
export class UnfinishedLine {
  readonly #options: UnfinishedLineOptions;
  #timer: NodeJS.Timeout | undefined;
  #isWaiting = false;

  constructor(options: UnfinishedLineOptions) {
    this.#options = options;
  }

  /** Takes note of a chunk that the reader has read. */
  onChunk(chunk: Buffer, { isInsideLine, heldBytes }: LineReader): void {
    if (!isInsideLine && !this.#isWaiting) return;
    const isAnother = !this.#isWaiting || chunk.includes(newline);
    this.#isWaiting = isInsideLine;
    if (!isInsideLine) this.stop();
    else if (isAnother) this.restart();
    if (!this.#options.hold(heldBytes)) this.#options.cut("The server holds too much unfinished input.");
  }

  /** Begins the time anew: nothing was read for a while. */
  restart(): void {
    if (!this.#isWaiting) return;
    clearTimeout(this.#timer);
    const onTimeout = () => this.#options.cut("A message took too long to arrive.");
    this.#timer = setTimeout(onTimeout, this.#options.messageMs);
  }

  /** Stops the time, for good or until `restart`. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}

import type { InvalidMessage } from "../../protocol/message.ts";
import type { LineSink } from "../framing/line-reader.ts";
import { sanitizeNoise, startsMessage } from "../framing/noise.ts";

const blank = new Set([0x09, 0x0a, 0x0d, 0x20]);
// {, [, and the first byte of a byte order mark.
const openings = new Set([0x7b, 0x5b, 0xef]);
const shownBytes = 200;

export interface CrossProtocolGuardOptions {
  /** The first line has come, and it begins as a message does. */
  readonly onFirstMessage: () => void;
  readonly onRefused: (noise: string) => void;
}

/**
 * Lets messages through and refuses whatever else comes, with all that follows.
 *
 * A web page can make a browser send HTTP to any port of this machine, with a body of
 * its choice. A reader that skips the head and takes the body would execute it.
 */
export class CrossProtocolGuard implements LineSink {
  readonly #sink: LineSink;
  readonly #keeper: CrossProtocolGuardOptions;
  #opened = false;
  #spoke = false;

  constructor(sink: LineSink, keeper: CrossProtocolGuardOptions) {
    this.#sink = sink;
    this.#keeper = keeper;
  }

  /** Whether bytes may be read on; says so before the end of the first line. */
  admits(chunk: Buffer): boolean {
    if (this.#opened) return true;
    const first = chunk.find((byte) => !blank.has(byte));
    if (first === undefined) return true;
    this.#opened = openings.has(first);
    if (!this.#opened) this.#keeper.onRefused(sanitizeNoise(chunk.toString("latin1", 0, shownBytes)));
    return this.#opened;
  }

  onText(text: string): void {
    if (!startsMessage(text)) return this.#keeper.onRefused(sanitizeNoise(text));
    if (!this.#spoke) this.#keeper.onFirstMessage();
    this.#spoke = true;
    this.#sink.onText(text);
  }

  onUnreadable(problem: InvalidMessage, answers: boolean): void {
    this.#sink.onUnreadable(problem, answers);
  }

  onNoise(text: string): void {
    this.#keeper.onRefused(text);
  }
}

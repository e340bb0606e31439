import type { InvalidMessage } from "../../protocol/message.ts";
import type { LineSink } from "../framing/line-reader.ts";
import { sanitizeStrayOutput, startsMessage } from "../framing/stray-output.ts";

const blank = new Set([0x09, 0x0a, 0x0d, 0x20]);
// {, [, and the first byte of a byte order mark.
const openings = new Set([0x7b, 0x5b, 0xef]);
const shownBytes = 200;

export interface CrossProtocolGuardOptions {
  /** Called when the first line has come and begins like a message. */
  readonly onFirstMessage: () => void;
  readonly onRefused: (text: string) => void;
}

/**
 * Refuses a connection that sends anything but messages.
 *
 * Threat: a web page can make a browser send HTTP to any port of this machine, with a body of
 * its choice. A reader that skips the head as stray output would execute the body.
 */
export class CrossProtocolGuard implements LineSink {
  readonly #sink: LineSink;
  readonly #options: CrossProtocolGuardOptions;
  #isOpen = false;
  #hasReceived = false;

  constructor(sink: LineSink, options: CrossProtocolGuardOptions) {
    this.#sink = sink;
    this.#options = options;
  }

  /** Decides by the first byte of the connection whether it may be read, before the first line is complete. */
  admits(chunk: Buffer): boolean {
    if (this.#isOpen) return true;
    const first = chunk.find((byte) => !blank.has(byte));
    if (first === undefined) return true;
    this.#isOpen = openings.has(first);
    if (!this.#isOpen) this.#options.onRefused(sanitizeStrayOutput(chunk.toString("latin1", 0, shownBytes)));
    return this.#isOpen;
  }

  onText(text: string): void {
    if (!startsMessage(text)) return this.#options.onRefused(sanitizeStrayOutput(text));
    if (!this.#hasReceived) this.#options.onFirstMessage();
    this.#hasReceived = true;
    this.#sink.onText(text);
  }

  onUnreadable(problem: InvalidMessage, isResponse: boolean): void {
    this.#sink.onUnreadable(problem, isResponse);
  }

  onStrayOutput(text: string): void {
    this.#options.onRefused(text);
  }
}

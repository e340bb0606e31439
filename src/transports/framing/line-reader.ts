import type { PipeSink } from "../../contract/pipe.ts";
import { MessageTooLargeError } from "../../errors.ts";
import { decodeUtf8 } from "../../lib/encoding/utf8.ts";
import { invalidMessage } from "../../protocol/message.ts";
import { defaultMaxMessageBytes } from "../../protocol/parse.ts";
import { WireCode } from "../../protocol/wire-error.ts";
import { EnvelopeReader } from "./envelope-reader.ts";
import { LineBuffer } from "./line-buffer.ts";
import { isCompleteJson, type StrayOutput, sanitizeStrayOutput } from "./stray-output.ts";

export interface LineReaderOptions {
  readonly maxMessageBytes?: number | undefined;
  /**
   * Takes lines that are not messages, in a client. Without it they are delivered, so that the sender gets an error
   * response.
   */
  readonly strayOutput?: StrayOutput | undefined;
}

export type LineSink = Pick<PipeSink, "onText" | "onUnreadable" | "onStrayOutput" | "onActivity">;

const newline = 0x0a;
const carriageReturn = 0x0d;
/** Bytes of stray output that are kept for the report. */
const shownBytes = 1000;

/**
 * Splits bytes that arrive in chunks of any size into lines of text, one message each.
 *
 * basic/transports#stdio (2025-11-25)
 */
export class LineReader {
  readonly #sink: LineSink;
  readonly #maxBytes: number;
  readonly #strayOutput: StrayOutput | undefined;
  readonly #held: LineBuffer;
  /** Set while a line over the limit streams by; only its envelope is kept. */
  #overlong: EnvelopeReader | undefined;
  #stopped = false;
  #linesRead = 0;

  constructor(sink: LineSink, options: LineReaderOptions = {}) {
    this.#sink = sink;
    this.#maxBytes = options.maxMessageBytes ?? defaultMaxMessageBytes;
    this.#strayOutput = options.strayOutput;
    this.#held = new LineBuffer(this.#maxBytes);
  }

  /** The number of lines that have been handled, whatever they were. */
  get linesRead(): number {
    return this.#linesRead;
  }

  /** True if a line has begun whose end has not arrived. */
  get isInsideLine(): boolean {
    return this.#overlong !== undefined || this.#held.length > 0;
  }

  /** The bytes that are kept of such a line. */
  get heldBytes(): number {
    return this.#held.length;
  }

  push(chunk: Buffer): void {
    if (this.#stopped) return;
    let from = 0;
    if (this.isInsideLine) {
      const end = chunk.indexOf(newline);
      this.#hold(end < 0 ? chunk : chunk.subarray(0, end));
      if (end < 0) return this.#sink.onActivity?.();
      this.#endLine();
      from = end + 1;
    }
    // Most chunks end with a line.
    const end = chunk.at(-1) === newline ? chunk.length : chunk.lastIndexOf(newline) + 1;
    if (end > from)
      this.#deliverLines(from === 0 && end === chunk.length ? chunk : chunk.subarray(from, end));
    const rest = Math.max(from, end);
    if (rest < chunk.length) this.#hold(chunk.subarray(rest));
  }

  /** Ends the input: a last line without its newline counts if it is complete JSON. */
  end(): void {
    if (this.#overlong !== undefined) this.#endLine();
    else if (this.#held.length > 0) this.#endUnfinished(this.#held.take());
  }

  /** Discards everything from now on. */
  stop(): void {
    if (!this.#stopped) this.#strayOutput?.end();
    this.#stopped = true;
    this.#overlong = undefined;
    this.#held.take();
  }

  #hold(bytes: Buffer): void {
    if (this.#stopped) return;
    if (this.#overlong === undefined && this.#held.length + bytes.length > this.#maxBytes) {
      this.#overlong = new EnvelopeReader();
      this.#overlong.push(this.#held.take());
    }
    if (this.#overlong !== undefined) this.#overlong.push(bytes);
    else this.#held.append(bytes);
  }

  #endLine(): void {
    const overlong = this.#overlong;
    this.#overlong = undefined;
    if (overlong === undefined) this.#deliverBytes(this.#held.take());
    else this.#onOverlong(overlong);
  }

  #endUnfinished(bytes: Buffer): void {
    const text = decodeUtf8(bytes) ?? "";
    const message = this.#strayOutput ? this.#strayOutput.findMessage(text) : text;
    if (message !== undefined && isCompleteJson(message)) this.#deliver(text);
    else this.#onStrayOutput(bytes.toString("utf8", 0, shownBytes));
  }

  /** Decodes many lines at once, which is several times faster than one by one. The last one has its end, too. */
  #deliverLines(bytes: Buffer): void {
    const text = bytes.length <= this.#maxBytes ? decodeUtf8(bytes) : undefined;
    if (text === undefined) this.#deliverOneByOne(bytes);
    else this.#deliverAll(text);
  }

  #deliverAll(text: string): void {
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      this.#linesRead++;
      this.#deliver(text.slice(from, end));
      from = end + 1;
    }
  }

  #deliverOneByOne(bytes: Buffer): void {
    let from = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, from)) {
      this.#deliverBytes(bytes.subarray(from, end));
      from = end + 1;
    }
  }

  #deliverBytes(line: Buffer): void {
    this.#linesRead++;
    const text = line.length <= this.#maxBytes ? decodeUtf8(line) : undefined;
    if (text !== undefined) this.#deliver(text);
    else if (line.length > this.#maxBytes) this.#onOverlong(readEnvelope(line));
    else this.#onBadEncoding(line);
  }

  #deliver(line: string): void {
    if (this.#stopped) return;
    const text = line.charCodeAt(line.length - 1) === carriageReturn ? line.slice(0, -1) : line;
    if (isBlank(text)) return;
    const message = this.#strayOutput ? this.#strayOutput.takeMessage(text) : text;
    if (message !== undefined) this.#sink.onText(message);
  }

  #onBadEncoding(line: Buffer): void {
    if (this.#stopped) return;
    const envelope = readEnvelope(line);
    const { id, isResponse } = envelope;
    // A request in broken text is refused as unreadable, without its id; a response fails its request.
    const problem = invalidMessage(
      isResponse ? id : undefined,
      "Message is not valid UTF-8.",
      WireCode.parse,
    );
    if (this.#strayOutput?.includes(envelope)) this.#onStrayOutput(line.toString("utf8", 0, shownBytes));
    else this.#sink.onUnreadable(problem, isResponse);
  }

  #onOverlong(envelope: EnvelopeReader): void {
    if (this.#stopped) return;
    const { id, isResponse, opening } = envelope;
    const { message } = new MessageTooLargeError(this.#maxBytes, id);
    if (this.#strayOutput?.includes(envelope)) this.#onStrayOutput(opening);
    else this.#sink.onUnreadable({ ...invalidMessage(id, message), maxBytes: this.#maxBytes }, isResponse);
  }

  #onStrayOutput(text: string): void {
    if (this.#stopped || isBlank(text)) return;
    if (this.#strayOutput) this.#strayOutput.add(text);
    else this.#sink.onStrayOutput(sanitizeStrayOutput(text));
  }
}

function readEnvelope(line: Buffer): EnvelopeReader {
  const envelope = new EnvelopeReader();
  envelope.push(line);
  return envelope;
}

function isBlank(text: string): boolean {
  const first = text.charCodeAt(0);
  // Nearly every line starts with a brace and needs no trim.
  return text.length === 0 || (first <= 0x20 && text.trim() === "");
}

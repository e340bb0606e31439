import { isRequestId, type RequestId } from "../../protocol/message.ts";

const quote = 0x22;
const backslash = 0x5c;
const maxKeyBytes = 64;
// 256 characters, each perhaps written as \uXXXX, and the quotes.
const maxIdBytes = 2048;
const openingBytes = 1000;

/**
 * Finds the request id of an overlong line while the line streams by, wherever in it
 * the id is, without keeping the line.
 */
export class EnvelopeReader {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #expectsKey = false;
  #key: string | undefined;
  #capturing: "key" | "id" | undefined;
  #captured: number[] = [];
  #opening: Buffer = Buffer.alloc(0);
  #ids: unknown[] = [];
  readonly #members = new Set<string>();

  /** The id of the message; undefined when there is none, or more than one. */
  get id(): RequestId | undefined {
    const [id, second] = this.#ids;
    return second === undefined && isRequestId(id) ? id : undefined;
  }

  /** True for a response. */
  get isResponse(): boolean {
    return !this.#members.has("method") && (this.#members.has("result") || this.#members.has("error"));
  }

  /** The beginning of the line. */
  get opening(): string {
    return this.#opening.toString();
  }

  push(bytes: Buffer): void {
    if (this.#opening.length < openingBytes) {
      this.#opening = Buffer.concat([this.#opening, bytes.subarray(0, openingBytes - this.#opening.length)]);
    }
    let at = 0;
    while (at < bytes.length) {
      if (this.#inString && this.#capturing === undefined) at = this.#skipString(bytes, at);
      else if (this.#inString) this.#takeInString(bytes[at++] as number);
      else this.#take(bytes[at++] as number);
    }
  }

  /** Skips from quote to quote; returns the position after the string, or the end of the bytes. */
  #skipString(bytes: Buffer, start: number): number {
    let from = start;
    for (let end = bytes.indexOf(quote, from); end >= 0; end = bytes.indexOf(quote, from)) {
      const escaped = this.#isEscapedAt(bytes, from, end);
      this.#escaped = false;
      from = end + 1;
      if (escaped) continue;
      this.#inString = false;
      return from;
    }
    this.#escaped = this.#isEscapedAt(bytes, from, bytes.length);
    return bytes.length;
  }

  /** Returns whether the backslashes before `end`, earlier chunks included, escape the byte there. */
  #isEscapedAt(bytes: Buffer, from: number, end: number): boolean {
    let at = end;
    while (at > from && bytes[at - 1] === backslash) at--;
    const slashes = end - at + (at === from && this.#escaped ? 1 : 0);
    return slashes % 2 === 1;
  }

  #take(byte: number): void {
    // The id ends at the comma or brace after it.
    if (this.#capturing === "id" && !(this.#depth === 1 && (byte === 0x2c || byte === 0x7d))) {
      this.#capture(byte, maxIdBytes);
    }
    switch (byte) {
      case quote:
        this.#inString = true;
        if (this.#depth === 1 && this.#expectsKey) {
          this.#startCapture("key");
          this.#capture(byte, maxKeyBytes);
        }
        break;
      case 0x7b: // {
        this.#expectsKey = ++this.#depth === 1;
        break;
      case 0x5b: // [
        this.#depth++;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        if (this.#depth === 1) this.#endMember();
        this.#depth = Math.max(0, this.#depth - 1);
        break;
      case 0x2c: // ,
        if (this.#depth === 1) {
          this.#endMember();
          this.#expectsKey = true;
        }
        break;
      case 0x3a: // :
        if (this.#depth === 1 && this.#key !== undefined) {
          this.#members.add(this.#key);
          if (this.#key === "id") this.#startCapture("id");
          this.#key = undefined;
        }
        break;
    }
  }

  #takeInString(byte: number): void {
    this.#capture(byte, this.#capturing === "key" ? maxKeyBytes : maxIdBytes);
    if (this.#escaped) this.#escaped = false;
    else if (byte === backslash) this.#escaped = true;
    else if (byte === quote) {
      this.#inString = false;
      if (this.#capturing === "key") {
        const key = this.#endCapture();
        this.#key = typeof key === "string" ? key : undefined;
        this.#expectsKey = false;
      }
    }
  }

  #endMember(): void {
    if (this.#capturing === "id") this.#ids.push(this.#endCapture() ?? null);
  }

  #startCapture(what: "key" | "id"): void {
    this.#capturing = what;
    this.#captured = [];
  }

  #capture(byte: number, maxBytes: number): void {
    // One byte too many is kept, as the sign that the rest was cut off.
    if (this.#captured.length <= maxBytes) this.#captured.push(byte);
  }

  #endCapture(): unknown {
    const text = Buffer.from(this.#captured).toString();
    const cut = this.#captured.length > (this.#capturing === "key" ? maxKeyBytes : maxIdBytes);
    this.#capturing = undefined;
    this.#captured = [];
    return cut ? undefined : parse(text);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const headBytes = 2;
const maskBytes = 4;
/** Opcodes from here on are those of control frames, which may come inside a message. */
const firstControlOpcode = 8;

/** Follows the frames in the bytes of one side, and keeps none of them: RFC 6455, section 5.2. */
export class FrameReader {
  #isMidMessage = false;
  #isFinal = false;
  #isControl = false;
  #headRead = 0;
  #headEnd = headBytes;
  #lengthEnd = headBytes;
  /** The bytes of the payload that are still to come. */
  #payload = 0;

  /** True when a message has begun and not ended. */
  get isMidMessage(): boolean {
    return this.#isMidMessage;
  }

  /** Reads on; returns whether a message ended in these bytes. */
  read(bytes: Uint8Array): boolean {
    let hasEnded = false;
    for (let at = 0; at < bytes.length; ) {
      if (this.#headRead < this.#headEnd) this.#readHead(bytes[at++] as number);
      else {
        const skipped = Math.min(this.#payload, bytes.length - at);
        at += skipped;
        this.#payload -= skipped;
      }
      if (this.#headRead === this.#headEnd && this.#payload === 0 && this.#endFrame()) hasEnded = true;
    }
    return hasEnded;
  }

  #readHead(byte: number): void {
    const index = this.#headRead++;
    if (index === 0) {
      this.#isFinal = byte >= 0x80;
      this.#isControl = (byte & 0x0f) >= firstControlOpcode;
      if (!this.#isControl) this.#isMidMessage = true;
    } else if (index === 1) {
      const short = byte & 0x7f;
      this.#lengthEnd = headBytes + (short === 127 ? 8 : short === 126 ? 2 : 0);
      this.#headEnd = this.#lengthEnd + (byte >= 0x80 ? maskBytes : 0);
      this.#payload = this.#lengthEnd === headBytes ? short : 0;
    } else if (index < this.#lengthEnd) this.#payload = this.#payload * 256 + byte;
  }

  /** Makes ready for the next frame; returns whether this one ended a message. */
  #endFrame(): boolean {
    this.#headRead = 0;
    this.#headEnd = headBytes;
    const endsMessage = this.#isFinal && !this.#isControl;
    if (endsMessage) this.#isMidMessage = false;
    return endsMessage;
  }
}

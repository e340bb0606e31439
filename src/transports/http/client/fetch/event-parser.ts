export interface ServerSentEvent {
  /** The id to resume from; undefined when the event has none. */
  readonly id: string | undefined;
  readonly kind: string;
  readonly data: string;
}

export interface EventParserOptions {
  /** The most characters that an unfinished event may hold. */
  readonly maxChars: number;
  onEvent(event: ServerSentEvent): void;
  onRetry(ms: number): void;
  onComment(): void;
  /** Called when an event is too large; nothing may be fed after it. */
  onTooLarge(): void;
}

/** The cost of keeping a line or a piece of one, in characters, however short it is. */
const overhead = 8;
/** Pieces of a line that are joined, since each costs more than the characters in it. */
const maxPieces = 1_024;

/**
 * Splits text that arrives in pieces of any size into server-sent events.
 *
 * html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation. A server can
 * send lines without end in one event, so each counts, even if it is empty.
 */
export class EventParser {
  readonly #options: EventParserOptions;
  readonly #lineEnd = /\r\n|[\r\n]/g;
  readonly #line = new UnfinishedLine();
  #data: string[] = [];
  #dataChars = 0;
  #id: string | undefined;
  #kind = "";
  /** True after a carriage return at the end of a piece: a newline that follows belongs to it. */
  #skipsNewline = false;

  constructor(options: EventParserOptions) {
    this.#options = options;
  }

  feed(text: string): void {
    let from = this.#skipsNewline && text.startsWith("\n") ? 1 : 0;
    if (text !== "") this.#skipsNewline = text.endsWith("\r");
    this.#lineEnd.lastIndex = from;
    for (let end = this.#lineEnd.exec(text); end !== null; end = this.#lineEnd.exec(text)) {
      this.#onLine(this.#line.end(text.slice(from, end.index)));
      from = this.#lineEnd.lastIndex;
    }
    if (from < text.length) this.#line.add(text.slice(from));
    if (this.#line.size + this.#dataChars > this.#options.maxChars) this.#options.onTooLarge();
  }

  #onLine(line: string): void {
    if (line === "") return this.#onEnd();
    const colon = line.indexOf(":");
    if (colon === 0) return this.#options.onComment();
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1);
    this.#onField(field, value);
  }

  #onField(field: string, value: string): void {
    switch (field) {
      case "data":
        this.#data.push(value);
        this.#dataChars += value.length + overhead;
        return;
      case "event":
        this.#kind = value;
        return;
      case "id":
        if (!value.includes("\0")) this.#id = value;
        return;
      case "retry":
        if (/^\d+$/.test(value)) this.#options.onRetry(Number(value));
    }
  }

  #onEnd(): void {
    const event = { id: this.#id, kind: this.#kind || "message", data: this.#data.join("\n") };
    const isEmpty = this.#id === undefined && this.#data.length === 0;
    this.#data = [];
    this.#dataChars = 0;
    this.#id = undefined;
    this.#kind = "";
    if (!isEmpty) this.#options.onEvent(event);
  }
}

/** The beginning of a line, in the pieces in which it arrived. */
class UnfinishedLine {
  #joined: string[] = [];
  #pieces: string[] = [];
  size = 0;

  add(piece: string): void {
    this.size += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length < maxPieces) return;
    this.#joined.push(this.#pieces.join(""));
    this.#pieces = [];
  }

  /** The whole line, with its last piece. */
  end(piece: string): string {
    if (this.size === 0) return piece;
    this.#pieces.push(piece);
    this.#joined.push(this.#pieces.join(""));
    const line = this.#joined.join("");
    this.#joined = [];
    this.#pieces = [];
    this.size = 0;
    return line;
  }
}

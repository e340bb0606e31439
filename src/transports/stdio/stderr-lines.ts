const keptLines = 20;
const keptLength = 500;
const maxLineLength = 8 * 1024;

/** Makes lines out of what a child writes to stderr, and remembers the last ones. */
export class StderrLines {
  readonly #onLine: ((line: string) => void) | undefined;
  readonly #decoder = new TextDecoder();
  #last: string[] = [];
  #partial = "";

  constructor(onLine?: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** The last lines, oldest first, each cut to a length that suits an error. */
  get last(): readonly string[] {
    return this.#partial.trim() === "" ? this.#last : [...this.#last, cut(this.#partial)].slice(-keptLines);
  }

  push(chunk: Uint8Array): void {
    const lines = (this.#partial + this.#decoder.decode(chunk, { stream: true })).split("\n");
    this.#partial = lines.pop() ?? "";
    for (const line of lines) this.#add(line.endsWith("\r") ? line.slice(0, -1) : line);
    if (this.#partial.length <= maxLineLength) return;
    this.#add(this.#partial);
    this.#partial = "";
  }

  end(): void {
    if (this.#partial !== "") this.#add(this.#partial);
    this.#partial = "";
  }

  #add(line: string): void {
    if (line.trim() !== "") this.#last.push(cut(line));
    if (this.#last.length > keptLines) this.#last.shift();
    this.#onLine?.(line);
  }
}

function cut(line: string): string {
  return line.length > keptLength ? `${line.slice(0, keptLength - 1)}…` : line;
}

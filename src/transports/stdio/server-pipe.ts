import type { Readable, Writable } from "node:stream";
import type { Pipe, PipeSink } from "../../contract/pipe.ts";
import { settlesWithin } from "../../lib/wait-at-most.ts";
import { LineReader } from "../framing/line-reader.ts";
import { LineWriter } from "../framing/line-writer.ts";
import { guardStdout, type StdoutGuard } from "./stdout-guard.ts";

export interface StdioPipeOptions {
  /** Default: the standard input of this process. */
  readonly input?: Readable;
  /** Default: the standard output of this process, which then carries messages only until the pipe is closed. */
  readonly output?: Writable;
  /** A longer message is refused, and the connection goes on. Default: 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** What may still happen after the end of input before the connection counts as closed. */
  readonly beforeEnd?: (() => Promise<void>) | undefined;
}

/** The server's end of stdio. */
export interface StdioPipe extends Pipe {
  /** Takes no more input, as if it had ended. What has been written still goes out. */
  endInput(): void;
  /** Resolves once all that was written is out, or can't get out any more. */
  flushed(): Promise<void>;
}

/** How long `close` waits for a reader that is behind. */
const flushMs = 500;

/** Nothing happens to the streams until the pipe is started. */
export function createStdioPipe(options: StdioPipeOptions = {}): StdioPipe {
  return new StreamPipe(options);
}

class StreamPipe implements StdioPipe {
  readonly kind = "stdio";
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #maxMessageBytes: number | undefined;
  readonly #beforeEnd: (() => Promise<void>) | undefined;
  readonly #writer: LineWriter;
  #sink: PipeSink | undefined;
  #reader: LineReader | undefined;
  #guard: StdoutGuard | undefined;
  #paused = false;
  #closing: Promise<void> | undefined;

  constructor({ input, output, maxMessageBytes, beforeEnd }: StdioPipeOptions) {
    this.#input = input ?? process.stdin;
    this.#output = output ?? process.stdout;
    this.#maxMessageBytes = maxMessageBytes;
    this.#beforeEnd = beforeEnd;
    this.#writer = new LineWriter({
      send: (text, done) => {
        if (this.#guard) this.#guard.write(text, done);
        else this.#output.write(text, done);
      },
      onFailure: (reason) => this.#endInput(reason),
    });
  }

  start(sink: PipeSink): void {
    if (this.#output === process.stdout) this.#guard = guardStdout();
    this.#sink = sink;
    this.#reader = new LineReader(sink, { maxMessageBytes: this.#maxMessageBytes });
    this.#output.on("error", this.#onOutputError);
    this.#input.on("error", this.#onInputError);
    this.#input.on("end", this.#onEnd);
    this.#input.on("close", this.#onEnd);
    this.#input.on("data", this.#onData);
    if (this.#input.readableEnded || this.#input.destroyed) this.#onEnd();
  }

  write(text: string): void | Promise<void> {
    const room = this.#writer.write(text);
    if (room !== undefined) this.#pauseUntil(room);
    return room;
  }

  flushed(): Promise<void> {
    return this.#writer.flushed();
  }

  endInput(): void {
    this.#endInput();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#endInput();
    const isFlushed = await settlesWithin(flushMs, this.#writer.flushed());
    // While something is still on its way out, it may yet fail.
    if (isFlushed) this.#output.off("error", this.#onOutputError);
    this.#guard?.restore();
  }

  readonly #onData = (chunk: Buffer | string): void => {
    this.#reader?.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  };

  readonly #onEnd = (): void => {
    this.#stopListening();
    this.#reader?.end();
    void this.#endLater();
  };

  readonly #onInputError = (error: Error): void => this.#endInput(error);
  readonly #onOutputError = (error: Error): void => this.#writer.fail(error);

  /** Does not take in what could only be answered into a queue that is full. */
  #pauseUntil(room: Promise<void>): void {
    if (this.#paused || this.#sink === undefined) return;
    this.#paused = true;
    this.#input.pause();
    const resume = (): void => {
      this.#paused = false;
      if (this.#sink !== undefined) this.#input.resume();
    };
    room.then(resume, resume);
  }

  async #endLater(): Promise<void> {
    // The last requests may have their answers after some microtasks: these still count.
    await new Promise((resolve) => setImmediate(resolve));
    await this.#beforeEnd?.();
    this.#endInput();
  }

  #endInput(reason?: Error): void {
    const sink = this.#sink;
    this.#sink = undefined;
    if (sink === undefined) return;
    this.#stopListening();
    this.#reader?.stop();
    this.#input.pause();
    sink.onClose(reason);
  }

  #stopListening(): void {
    this.#input.off("data", this.#onData);
    this.#input.off("end", this.#onEnd);
    this.#input.off("close", this.#onEnd);
    this.#input.off("error", this.#onInputError);
  }
}

import type { Readable, Writable } from "node:stream";
import type { Pipe, PipeSink } from "../../contract/pipe.ts";
import { settlesWithin } from "../../lib/async/wait-at-most.ts";
import { InputPause, type PausableInput } from "../../lib/input-pause.ts";
import { LineReader } from "../framing/line-reader.ts";
import { LineWriter } from "../framing/line-writer.ts";

export interface StdioPipeOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Reads the input, if there is a quicker way than its events. */
  readonly read?: ((onChunk: (chunk: Buffer) => void) => InputReading) | undefined;
  /** Takes the output over while the pipe is open: called at the start, restored at the close. */
  readonly guard?: (() => OutputGuard) | undefined;
  /** A longer message is refused, and the connection goes on. Default: 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Work that may still be done between the end of input and the close of the pipe. */
  readonly onInputEnd?: (() => Promise<void>) | undefined;
}

/** The reading of an input. A chunk is valid until its reader returns. */
export interface InputReading extends PausableInput {
  stop(): void;
}

/** Exclusive access to an output that other code would write to as well. */
export interface OutputGuard {
  readonly write: (text: string, done: (error?: Error | null) => void) => void;
  restore(): void;
}

/** The server's end of stdio. */
export interface StdioPipe extends Pipe {
  /** Stops reading, as if the input had ended. Messages that were written still go out. */
  endInput(): void;
  /** Resolves once everything written has left, or can't leave any more. */
  flushed(): Promise<void>;
}

/** Time that `close` gives to a reader that is behind. */
const flushMs = 500;

/** Creates a pipe that does not touch its streams until it is started. */
export function createStdioPipe(options: StdioPipeOptions): StdioPipe {
  return new StreamPipe(options);
}

/** Reads a stream by its events. */
export function readByEvents(input: Readable, onChunk: (chunk: Buffer) => void): InputReading {
  const onData = (chunk: Buffer | string): void =>
    onChunk(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  input.on("data", onData);
  return {
    pause: () => void input.pause(),
    resume: () => void input.resume(),
    stop: () => {
      input.off("data", onData);
      input.pause();
    },
  };
}

class StreamPipe implements StdioPipe {
  readonly kind = "stdio";
  readonly coalescesWrites = true;
  readonly #options: StdioPipeOptions;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #writer: LineWriter;
  #sink: PipeSink | undefined;
  #reader: LineReader | undefined;
  #reading: InputReading | undefined;
  #guard: OutputGuard | undefined;
  readonly #pause = new InputPause({
    pause: () => this.#reading?.pause(),
    resume: () => {
      if (this.#sink !== undefined) this.#reading?.resume();
    },
  });
  #closing: Promise<void> | undefined;

  constructor(options: StdioPipeOptions) {
    this.#options = options;
    this.#input = options.input;
    this.#output = options.output;
    this.#writer = new LineWriter({
      send: (text, done) => {
        if (this.#guard) this.#guard.write(text, done);
        else this.#output.write(text, done);
      },
      onFailure: (reason) => this.#endInput(reason),
    });
  }

  start(sink: PipeSink): void {
    this.#guard = this.#options.guard?.();
    this.#sink = sink;
    this.#reader = new LineReader(sink, { maxMessageBytes: this.#options.maxMessageBytes });
    this.#output.on("error", this.#onOutputError);
    this.#input.on("error", this.#onInputError);
    this.#input.on("end", this.#onEnd);
    this.#input.on("close", this.#onEnd);
    this.#reading = this.#options.read?.(this.#onChunk) ?? readByEvents(this.#input, this.#onChunk);
    if (this.#input.readableEnded || this.#input.destroyed) this.#onEnd();
  }

  write(text: string): void | Promise<void> {
    const room = this.#writer.write(text);
    if (room !== undefined) this.pauseUntil(room);
    return room;
  }

  /** Called with a full queue, too: the responses to further requests could only join it. */
  pauseUntil(ready: Promise<unknown>): void {
    if (this.#sink !== undefined) this.#pause.until(ready);
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
    // A write that is still under way may yet fail.
    if (isFlushed) this.#output.off("error", this.#onOutputError);
    this.#guard?.restore();
  }

  readonly #onChunk = (chunk: Buffer): void => {
    this.#writer.join(() => this.#reader?.push(chunk));
  };

  readonly #onEnd = (): void => {
    this.#stopListening();
    this.#reader?.end();
    void this.#endLater();
  };

  readonly #onInputError = (error: Error): void => this.#endInput(error);
  readonly #onOutputError = (error: Error): void => this.#writer.fail(error);

  async #endLater(): Promise<void> {
    // The responses to the last requests may come some microtasks later, and still count.
    await new Promise((resolve) => setImmediate(resolve));
    await this.#options.onInputEnd?.();
    this.#endInput();
  }

  #endInput(reason?: Error): void {
    const sink = this.#sink;
    this.#sink = undefined;
    if (sink === undefined) return;
    this.#stopListening();
    this.#reader?.stop();
    sink.onClose(reason);
  }

  #stopListening(): void {
    this.#reading?.stop();
    this.#input.off("end", this.#onEnd);
    this.#input.off("close", this.#onEnd);
    this.#input.off("error", this.#onInputError);
  }
}

import type { Socket } from "node:net";
import type { Pipe, PipeSink } from "../../contract/pipe.ts";
import { ConnectionClosedError } from "../../errors.ts";
import { StallTimer } from "../../lib/async/stall-timer.ts";
import { settlesWithin } from "../../lib/async/wait-at-most.ts";
import type { UnreadShare } from "../../lib/bounded/unread-share.ts";
import { InputPause } from "../../lib/input-pause.ts";
import { LinePacer } from "../framing/line-pacer.ts";
import { LineReader } from "../framing/line-reader.ts";
import { LineWriter } from "../framing/line-writer.ts";
import { StrayOutput } from "../framing/stray-output.ts";
import { CrossProtocolGuard } from "./cross-protocol-guard.ts";
import { UnfinishedLine } from "./unfinished-line.ts";

export interface SocketPipeOptions {
  readonly side: "client" | "server";
  /** The limit of a message; a longer one is refused, and the connection goes on. Default: 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** A connection whose reader takes nothing for this long is cut. Default 30,000. */
  readonly stallMs?: number | undefined;
  /** A client that sends no message for this long after it connected is cut. Default 30,000. */
  readonly silentMs?: number | undefined;
  /** A client whose message takes longer than this to arrive is cut. Default 30,000. */
  readonly messageMs?: number | undefined;
  /** Takes room for the bytes of a message that has begun to arrive; false to cut the client. */
  readonly hold?: ((bytes: number) => boolean) | undefined;
  /** Counts the bytes that wait for their reader. */
  readonly output?: UnreadShare | undefined;
  /** Work that may still be done between the end of input and the close of the connection. */
  readonly onInputEnd?: (() => Promise<void>) | undefined;
}

/** Time that `close` gives to a reader that is behind, and to the other side to close as well. */
const closeMs = 500;
/** Room for one message of the maximum size. */
const maxUnsent = 64 * 1024 * 1024;

/** One end of a unix or TCP connection; each message is one line. */
export class SocketPipe implements Pipe {
  readonly kind = "socket";
  readonly coalescesWrites = true;
  readonly #socket: Socket;
  readonly #options: SocketPipeOptions;
  readonly #writer: LineWriter;
  readonly #stallTimer: StallTimer;
  #sink: PipeSink | undefined;
  #reader: LineReader | undefined;
  #guard: CrossProtocolGuard | undefined;
  #unfinished: UnfinishedLine | undefined;
  #pacer: LinePacer | undefined;
  #isWaiting = false;
  readonly #pause = new InputPause({
    pause: () => {
      this.#socket.pause();
      this.#unfinished?.stop();
    },
    resume: () => {
      if (this.#sink === undefined) return;
      this.#unfinished?.restart();
      this.#socket.resume();
    },
  });
  #silenceTimer: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(socket: Socket, options: SocketPipeOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#writer = new LineWriter({
      maxUnsent,
      send: (text, done) => void socket.write(text, done),
      onFailure: (reason) => this.#cut(reason),
    });
    this.#stallTimer = new StallTimer({
      stallMs: options.stallMs ?? 30_000,
      onStall: () => this.#cut(new Error("The other side does not read.")),
    });
    socket.on("error", (error) => this.#cut(error));
    socket.on("close", () => this.#cut());
  }

  start(sink: PipeSink): void {
    this.#sink = sink;
    this.#reader = this.#createReader(sink);
    this.#socket.on("data", this.#onData);
    this.#socket.on("end", () => void this.#onEnd());
    if (this.#socket.destroyed) this.#cut();
  }

  write(text: string): void | Promise<void> {
    const room = this.#writer.write(text);
    if (room !== undefined) void this.#waitFor(room);
    return room;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** A client skips stray output, because it chose the server; a server did not choose its clients. */
  #createReader(sink: PipeSink): LineReader {
    const { side, maxMessageBytes, silentMs = 30_000, messageMs = 30_000, hold = () => true } = this.#options;
    if (side === "client") {
      this.#pacer = new LinePacer(this.#socket);
      const strayOutput = new StrayOutput((text) => sink.onStrayOutput(text));
      return new LineReader(sink, { maxMessageBytes, strayOutput });
    }
    this.#silenceTimer = setTimeout(
      () => this.#cut(new Error("The client sent no message after it connected.")),
      silentMs,
    );
    this.#guard = new CrossProtocolGuard(sink, {
      onFirstMessage: () => clearTimeout(this.#silenceTimer),
      onRefused: (text) => this.#refuse(text),
    });
    this.#unfinished = new UnfinishedLine({ messageMs, hold, cut: (why) => this.#cut(new Error(why)) });
    return new LineReader(this.#guard, { maxMessageBytes });
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#guard && !this.#guard.admits(chunk)) return;
    const reader = this.#reader;
    if (reader === undefined) return;
    this.#writer.join(() => reader.push(chunk));
    this.#pacer?.onChunk(reader.linesRead);
    this.#unfinished?.onChunk(chunk, reader);
  };

  #refuse(text: string): void {
    if (this.#sink === undefined) return;
    this.#sink.onStrayOutput(text);
    this.#cut(new Error("The client sent something that is not a message."));
  }

  async #onEnd(): Promise<void> {
    this.#socket.off("data", this.#onData);
    this.#reader?.end();
    // The responses to the last requests may come some microtasks later, and still count.
    await new Promise((resolve) => setImmediate(resolve));
    await this.#options.onInputEnd?.();
    if (this.#finish(new ConnectionClosedError("The other side closed the connection."))) await this.close();
  }

  /**
   * Backpressure: a server reads no requests whose responses could only join a full queue.
   *
   * A client reads on: if both sides waited for the other to read, both would wait indefinitely.
   */
  async #waitFor(room: Promise<void>): Promise<void> {
    this.#options.output?.hold(this.#writer.unsent);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#stallTimer.start();
    if (this.#options.side === "server") this.#pause.until(room);
    await room.catch(() => {});
    this.#isWaiting = false;
    this.#options.output?.release();
    this.#stallTimer.stop();
  }

  pauseUntil(ready: Promise<unknown>): void {
    this.#pause.until(ready);
  }

  #cut(cause?: Error): void {
    this.#socket.destroy();
    this.#finish(new ConnectionClosedError("The connection was lost.", { cause }));
    this.#writer.fail(cause);
  }

  #finish(reason?: Error): boolean {
    const sink = this.#sink;
    this.#sink = undefined;
    if (sink === undefined) return false;
    this.#reader?.stop();
    clearTimeout(this.#silenceTimer);
    this.#unfinished?.stop();
    this.#stallTimer.stop();
    sink.onClose(reason);
    return true;
  }

  async #close(): Promise<void> {
    this.#finish();
    this.#socket.off("data", this.#onData);
    // The other side's end is seen only after everything it sent has been read.
    this.#socket.resume();
    await settlesWithin(closeMs, this.#writer.flushed());
    this.#socket.end();
    // A client needs no more responses, but the last writes of a server should arrive.
    if (this.#options.side === "server") await settlesWithin(closeMs, this.#untilClosed());
    this.#socket.destroy();
  }

  #untilClosed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.destroyed) resolve();
      else this.#socket.once("close", () => resolve());
    });
  }
}

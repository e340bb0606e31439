import type { Socket } from "node:net";
import type { Pipe, PipeSink } from "../../contract/pipe.ts";
import { ConnectionClosedError } from "../../errors.ts";
import { settlesWithin } from "../../lib/wait-at-most.ts";
import { LineReader } from "../framing/line-reader.ts";
import { LineWriter } from "../framing/line-writer.ts";
import { CrossProtocolGuard } from "./cross-protocol-guard.ts";

export interface SocketPipeOptions {
  readonly side: "client" | "server";
  /** A longer message is refused, and the connection goes on. Default: 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** A reader that takes nothing for so long is cut. Default 30,000. */
  readonly stallMs?: number | undefined;
  /** A client whose first message takes so long is cut. Default 30,000. */
  readonly silentMs?: number | undefined;
  /** What may still happen after the client's last message before the connection is closed. */
  readonly beforeEnd?: (() => Promise<void>) | undefined;
}

/** How long `close` waits for a reader that is behind, and for the other side to close, too. */
const closeMs = 500;
/** Room for one message of the greatest size. */
const maxUnsent = 64 * 1024 * 1024;

/** One end of a unix or TCP connection: a message a line. */
export class SocketPipe implements Pipe {
  readonly kind = "socket";
  readonly #socket: Socket;
  readonly #options: SocketPipeOptions;
  readonly #writer: LineWriter;
  #sink: PipeSink | undefined;
  #reader: LineReader | undefined;
  #gate: CrossProtocolGuard | undefined;
  #waiting = false;
  #timer: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(socket: Socket, options: SocketPipeOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#writer = new LineWriter({
      maxUnsent,
      send: (text, done) => void socket.write(text, done),
      onFailure: (reason) => this.#cut(reason),
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

  /** A client skips what is no message, because it chose the server; nobody chose the client. */
  #createReader(sink: PipeSink): LineReader {
    const { side, maxMessageBytes, silentMs = 30_000 } = this.#options;
    if (side === "client") return new LineReader(sink, { maxMessageBytes, noise: "skip" });
    this.#cutAfter(silentMs, "It said nothing after it connected.");
    this.#gate = new CrossProtocolGuard(sink, {
      onFirstMessage: () => clearTimeout(this.#timer),
      onRefused: (noise) => this.#refuse(noise),
    });
    return new LineReader(this.#gate, { maxMessageBytes });
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#gate && !this.#gate.admits(chunk)) return;
    this.#reader?.push(chunk);
  };

  #refuse(noise: string): void {
    if (this.#sink === undefined) return;
    this.#sink.onNoise(noise);
    this.#cut(new Error("It said something that is no message."));
  }

  async #onEnd(): Promise<void> {
    this.#socket.off("data", this.#onData);
    this.#reader?.end();
    // The last requests may have their answers after some microtasks: these still count.
    await new Promise((resolve) => setImmediate(resolve));
    await this.#options.beforeEnd?.();
    if (this.#finish(new ConnectionClosedError("The other side closed the connection."))) await this.close();
  }

  /**
   * Does not take in what could only be answered into a queue that is full. A client
   * reads on: if both sides waited for the other to read, both would wait for ever.
   */
  async #waitFor(room: Promise<void>): Promise<void> {
    if (this.#waiting) return;
    this.#waiting = true;
    const { side, stallMs = 30_000 } = this.#options;
    this.#cutAfter(stallMs, "It took nothing of what waits for it.");
    if (side === "server") this.#socket.pause();
    await room.catch(() => {});
    this.#waiting = false;
    clearTimeout(this.#timer);
    if (this.#sink !== undefined) this.#socket.resume();
  }

  #cutAfter(ms: number, why: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#cut(new Error(why)), ms);
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
    clearTimeout(this.#timer);
    sink.onClose(reason);
    return true;
  }

  async #close(): Promise<void> {
    this.#finish();
    this.#socket.off("data", this.#onData);
    // What the other side still sends must be read for its end to be seen.
    this.#socket.resume();
    await settlesWithin(closeMs, this.#writer.flushed());
    this.#socket.end();
    // A client wants no more answers; but what a server wrote last should arrive.
    if (this.#options.side === "server") await settlesWithin(closeMs, this.#gone());
    this.#socket.destroy();
  }

  #gone(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.destroyed) resolve();
      else this.#socket.once("close", () => resolve());
    });
  }
}

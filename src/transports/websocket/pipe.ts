import type { Pipe, PipeSink } from "../../contract/pipe.ts";
import { ConnectionClosedError } from "../../errors.ts";
import type { Heartbeat } from "../../lib/async/heartbeat.ts";
import { sleep } from "../../lib/async/sleep.ts";
import { StallTimer } from "../../lib/async/stall-timer.ts";
import { settlesWithin } from "../../lib/async/wait-at-most.ts";
import type { UnreadShare } from "../../lib/bounded/unread-share.ts";
import { InputPause } from "../../lib/input-pause.ts";
import type { UnfinishedMessage } from "./unfinished-message.ts";
import type { WebSocketCloseEvent, WebSocketLike } from "./websocket-like.ts";

export interface WebSocketPipeOptions {
  readonly side: "client" | "server";
  /** The limit of a message; a longer one ends the connection. */
  readonly maxMessageBytes: number;
  /** A connection whose reader takes nothing for this long is cut. */
  readonly stallMs: number;
  /** Sends pings, where the socket can. */
  readonly heartbeat: Heartbeat;
  /** Counts the bytes of messages that have not ended; only a server does. */
  readonly input?: UnfinishedMessage | undefined;
  /** Counts the bytes that wait for their reader; only a server does. */
  readonly output?: UnreadShare | undefined;
}

/** Unsent bytes above which writers are asked to wait. */
const highWaterMark = 64 * 1024;
/** Unsent bytes at which a connection is cut, because its writers did not wait. One more message may come on top. */
const maxUnsent = 16 * 1024 * 1024;
/** Time that `close` gives to the closing handshake. */
const closeMs = 1_000;
const longestPollMs = 50;

/** One end of a WebSocket; each message is one text frame. */
export class WebSocketPipe implements Pipe {
  readonly kind = "websocket";
  readonly coalescesWrites = true;
  readonly #socket: WebSocketLike;
  readonly #options: WebSocketPipeOptions;
  readonly #ended: Promise<void>;
  #resolveEnded: () => void = () => {};
  #sink: PipeSink | undefined;
  #unread: string[] = [];
  #failure: Error | undefined;
  #closeReason: Error | undefined;
  #room: Promise<void> | undefined;
  #isAlive = true;
  readonly #pause = new InputPause({
    pause: () => this.#socket.pause?.(),
    resume: () => {
      this.#options.input?.restart();
      this.#socket.resume?.();
    },
  });

  constructor(socket: WebSocketLike, options: WebSocketPipeOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    socket.addEventListener("message", ({ data }) => this.#onMessage(data));
    socket.addEventListener("error", (event) => this.#onError(event));
    socket.addEventListener("close", (end) => this.#onClose(end));
    socket.on?.("ping", () => this.#onPing());
    socket.on?.("pong", () => {
      this.#isAlive = true;
    });
  }

  start(sink: PipeSink): void {
    this.#sink = sink;
    if (this.#socket.ping) this.#options.heartbeat.add(this);
    for (const text of this.#unread.splice(0)) this.#sink?.onText(text);
    if (this.#closeReason) this.#finish(this.#closeReason);
  }

  write(text: string): void | Promise<void> {
    if (this.#closeReason) return Promise.reject(this.#closeReason);
    if (this.#socket.bufferedAmount > maxUnsent) return this.#overflow();
    this.#socket.send(text);
    if (this.#socket.bufferedAmount <= highWaterMark) return;
    this.#room ??= this.#untilRoom();
    this.#options.output?.hold(this.#socket.bufferedAmount);
    return this.#room;
  }

  pauseUntil(ready: Promise<unknown>): void {
    this.#pause.until(ready);
  }

  /** Sends a ping; cuts the connection if the peer sent nothing since the last one. */
  beat(): void {
    // A slow reader has a time limit of its own, and what is not read shows no life.
    if (this.#room !== undefined || this.#pause.isOn) return;
    if (!this.#isAlive) return this.#cut("The other side does not answer pings.");
    if (this.#options.input?.isOverdue) return this.#cut("A message took too long to arrive.");
    this.#isAlive = false;
    this.#socket.ping?.();
  }

  async close(): Promise<void> {
    this.#finish();
    await this.#shut(this.#options.side === "server" ? 1001 : 1000);
  }

  #onMessage(data: unknown): void {
    this.#isAlive = true;
    if (this.#closeReason) return;
    if (typeof data !== "string") return this.#onBinary();
    if (data.length > this.#options.maxMessageBytes) {
      return this.#cut(`A message is larger than ${this.#options.maxMessageBytes} bytes.`);
    }
    if (this.#sink) this.#sink.onText(data);
    else this.#unread.push(data);
  }

  #onBinary(): void {
    if (this.#options.side === "client") return this.#sink?.onStrayOutput("a binary frame");
    this.#finish(new ConnectionClosedError("The client sent a binary frame."));
    void this.#shut(1003, "Messages are text.");
  }

  /** Applies backpressure to pings: the socket answers each by itself, and a peer might read no answers. */
  #onPing(): void {
    this.#isAlive = true;
    this.#sink?.onActivity?.();
    const { bufferedAmount } = this.#socket;
    if (bufferedAmount > maxUnsent) this.#cut("The other side does not read.");
    else if (bufferedAmount > highWaterMark) this.#room ??= this.#untilRoom();
  }

  /** Waits for the close that follows an error, such as an exceeded limit, and enforces it. */
  #onError(event: object): void {
    this.#failure ??= errorOf(event);
    // After an exceeded limit, much more may come: it is not even read to be discarded.
    setTimeout(() => this.#socket.pause?.());
    void this.#shut();
  }

  #onClose({ code, reason }: WebSocketCloseEvent): void {
    this.#resolveEnded();
    const why = reason === "" ? `${code}` : `${code}: ${reason}`;
    this.#finish(new ConnectionClosedError(`The WebSocket was closed (${why}).`, { cause: this.#failure }));
  }

  #overflow(): Promise<never> {
    this.#cut(`The other side does not read, and ${maxUnsent} bytes wait for it.`);
    return Promise.reject(this.#closeReason);
  }

  /**
   * Backpressure by polling: the platform has no event for room in its buffer.
   *
   * A server reads no requests meanwhile, whose responses could only wait, too. A client reads on,
   * because both sides would wait indefinitely if neither read.
   */
  #untilRoom(): Promise<void> {
    const stallTimer = new StallTimer({
      stallMs: this.#options.stallMs,
      unread: () => this.#socket.bufferedAmount,
      onStall: () => this.#cut("The other side does not read."),
    });
    stallTimer.start();
    const room = this.#poll(stallTimer).finally(() => {
      stallTimer.stop();
      this.#options.output?.release();
      this.#room = undefined;
    });
    if (this.#options.side === "server") this.#pause.until(room);
    // A failure reaches the writer; if the writer does not look, the close of the pipe reports it.
    room.catch(() => {});
    return room;
  }

  async #poll(stallTimer: StallTimer): Promise<void> {
    let least = this.#socket.bufferedAmount;
    for (let ms = 1; this.#socket.bufferedAmount > highWaterMark; ms = Math.min(2 * ms, longestPollMs)) {
      await sleep(ms);
      if (this.#closeReason) throw this.#closeReason;
      if (this.#socket.bufferedAmount < least) stallTimer.restart();
      least = Math.min(least, this.#socket.bufferedAmount);
    }
  }

  #cut(why: string): void {
    this.#finish(new ConnectionClosedError(why));
    if (this.#socket.terminate) this.#socket.terminate();
    else this.#socket.close();
  }

  /** Closes with a handshake; after a timeout without it. */
  async #shut(code?: number, reason?: string): Promise<void> {
    if (code !== undefined) this.#socket.close(code, reason);
    if (!(await settlesWithin(closeMs, this.#ended))) this.#socket.terminate?.();
  }

  /** Reports the close, without a reason when it was asked for. */
  #finish(reason?: Error): void {
    this.#closeReason ??= reason ?? new ConnectionClosedError("The connection is closed.");
    this.#options.heartbeat.remove(this);
    const sink = this.#sink;
    this.#sink = undefined;
    sink?.onClose(reason);
  }
}

function errorOf(event: object): Error | undefined {
  if ("error" in event && event.error instanceof Error) return event.error;
  return "message" in event && typeof event.message === "string" ? new Error(event.message) : undefined;
}

import type { Pipe, PipeSink } from "../../contract/pipe.ts";
import { ConnectionClosedError } from "../../errors.ts";
import type { Heartbeat } from "../../lib/heartbeat.ts";
import { sleep } from "../../lib/sleep.ts";
import { settlesWithin } from "../../lib/wait-at-most.ts";
import type { WebSocketCloseEvent, WebSocketLike } from "./websocket-like.ts";

export interface WebSocketPipeOptions {
  readonly side: "client" | "server";
  /** A longer message ends the connection. */
  readonly maxMessageBytes: number;
  /** A reader that takes nothing for so long is cut. */
  readonly stallMs: number;
  /** Sends pings, where the socket can. */
  readonly heartbeat: Heartbeat;
}

/** Unsent bytes from which on writers are asked to wait. */
const roomFor = 64 * 1024;
/** Unsent bytes at which a reader is cut: its writers did not wait. One more message may come on top. */
const mostUnsent = 16 * 1024 * 1024;
/** How long `close` waits for the other side to agree. */
const closeMs = 1_000;
const longestPollMs = 50;

/** One end of a WebSocket: a message a text frame. */
export class WebSocketPipe implements Pipe {
  readonly kind = "websocket";
  readonly #socket: WebSocketLike;
  readonly #options: WebSocketPipeOptions;
  readonly #ended: Promise<void>;
  #onEnded: () => void = () => {};
  #sink: PipeSink | undefined;
  #early: string[] = [];
  #failure: Error | undefined;
  #goneBy: Error | undefined;
  #room: Promise<void> | undefined;
  #heard = true;

  constructor(socket: WebSocketLike, options: WebSocketPipeOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#ended = new Promise((resolve) => {
      this.#onEnded = resolve;
    });
    socket.addEventListener("message", ({ data }) => this.#onMessage(data));
    socket.addEventListener("error", (event) => this.#onError(event));
    socket.addEventListener("close", (end) => this.#onClose(end));
    socket.on?.("ping", () => this.#onPing());
    socket.on?.("pong", () => {
      this.#heard = true;
    });
  }

  start(sink: PipeSink): void {
    this.#sink = sink;
    if (this.#socket.ping) this.#options.heartbeat.add(this);
    for (const text of this.#early.splice(0)) this.#sink?.onText(text);
    if (this.#goneBy) this.#finish(this.#goneBy);
  }

  write(text: string): void | Promise<void> {
    if (this.#goneBy) return Promise.reject(this.#goneBy);
    if (this.#socket.bufferedAmount > mostUnsent) return this.#overflow();
    this.#socket.send(text);
    if (this.#socket.bufferedAmount <= roomFor) return;
    this.#room ??= this.#untilRoom();
    return this.#room;
  }

  /** A peer that gave no sign of life since the last ping is gone. */
  beat(): void {
    // What waits for a slow reader has a limit of its own.
    if (this.#room !== undefined) return;
    if (!this.#heard) return this.#cut("The other side does not answer to pings.");
    this.#heard = false;
    this.#socket.ping?.();
  }

  async close(): Promise<void> {
    this.#finish();
    await this.#shut(this.#options.side === "server" ? 1001 : 1000);
  }

  #onMessage(data: unknown): void {
    this.#heard = true;
    if (this.#goneBy) return;
    if (typeof data !== "string") return this.#onBinary();
    if (data.length > this.#options.maxMessageBytes) {
      return this.#cut(`A message is larger than ${this.#options.maxMessageBytes} bytes.`);
    }
    if (this.#sink) this.#sink.onText(data);
    else this.#early.push(data);
  }

  #onBinary(): void {
    if (this.#options.side === "client") return this.#sink?.onNoise("a binary frame");
    this.#finish(new ConnectionClosedError("The client sent a binary frame."));
    void this.#shut(1003, "Messages are text.");
  }

  /** The socket answers each ping by itself; a peer that reads none of the answers is waited for like any other. */
  #onPing(): void {
    this.#heard = true;
    const { bufferedAmount } = this.#socket;
    if (bufferedAmount > mostUnsent) this.#cut("The other side does not read.");
    else if (bufferedAmount > roomFor) this.#room ??= this.#untilRoom();
  }

  /** The socket closes itself after an error, such as a limit that was passed, if the other side lets it. */
  #onError(event: object): void {
    this.#failure ??= errorOf(event);
    // What comes after a limit was passed may be much, and is not even read to be thrown away.
    setTimeout(() => this.#socket.pause?.());
    void this.#shut();
  }

  #onClose({ code, reason }: WebSocketCloseEvent): void {
    this.#onEnded();
    const why = reason === "" ? `${code}` : `${code}: ${reason}`;
    this.#finish(new ConnectionClosedError(`The WebSocket was closed (${why}).`, { cause: this.#failure }));
  }

  #overflow(): Promise<never> {
    this.#cut(`The other side does not read, and ${mostUnsent} bytes wait for it.`);
    return Promise.reject(this.#goneBy);
  }

  /**
   * The platform does not tell when there is room, so it is asked. A server takes in no
   * requests meanwhile, whose answers could only wait, too; a client reads on, because
   * both sides would wait for ever if both did.
   */
  #untilRoom(): Promise<void> {
    if (this.#options.side === "server") this.#socket.pause?.();
    const room = this.#poll().finally(() => {
      this.#room = undefined;
      this.#socket.resume?.();
    });
    // Whoever wrote hears of a failure; when nobody looks, the closing of the pipe tells.
    room.catch(() => {});
    return room;
  }

  async #poll(): Promise<void> {
    let least = this.#socket.bufferedAmount;
    let deadline = Date.now() + this.#options.stallMs;
    for (let ms = 1; this.#socket.bufferedAmount > roomFor; ms = Math.min(2 * ms, longestPollMs)) {
      await sleep(ms);
      if (this.#goneBy) throw this.#goneBy;
      if (this.#socket.bufferedAmount < least) deadline = Date.now() + this.#options.stallMs;
      else if (Date.now() > deadline) this.#cut("The other side does not read.");
      least = Math.min(least, this.#socket.bufferedAmount);
    }
  }

  #cut(why: string): void {
    this.#finish(new ConnectionClosedError(why));
    if (this.#socket.terminate) this.#socket.terminate();
    else this.#socket.close();
  }

  /** Closes in good order, or else after a while. */
  async #shut(code?: number, reason?: string): Promise<void> {
    if (code !== undefined) this.#socket.close(code, reason);
    if (!(await settlesWithin(closeMs, this.#ended))) this.#socket.terminate?.();
  }

  /** Without a reason when it was asked for. */
  #finish(reason?: Error): void {
    this.#goneBy ??= reason ?? new ConnectionClosedError("The connection is closed.");
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

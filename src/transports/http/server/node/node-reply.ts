import type { ServerResponse } from "node:http";
import {
  type EventSink,
  type HttpReply,
  highWaterBytes,
  maxBufferedBytes,
  type ResponseHeaders,
} from "../http-interface.ts";

const requestTimeout = 408;

/** Connections that carry an event stream. */
const streaming = new WeakSet<object>();

export function isStreaming(socket: object): boolean {
  return streaming.has(socket);
}

/** A reply over node:http. */
export class NodeReply implements HttpReply {
  readonly #response: ServerResponse;
  readonly #stallMs: number;
  #onGone: (() => void)[] | undefined;

  constructor(response: ServerResponse, stallMs: number) {
    this.#response = response;
    this.#stallMs = stallMs;
  }

  send(status: number, headers: ResponseHeaders, body?: string): void {
    const response = this.#response;
    if (response.destroyed) return;
    if (response.headersSent) return void response.destroy();
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    const flat = toFlat(headers);
    flat.push("content-length", `${length}`);
    // A body that is too slow is not waited for. The rest of other bodies is read and dropped: closing the
    // connection while the client sends may lose the answer.
    if (status === requestTimeout) flat.push("connection", "close");
    response.writeHead(status, flat);
    if (body !== undefined) {
      response.write(body, length === body.length ? "latin1" : "utf8");
      // Without this the text would wait for the empty end, and both would leave in a slower write.
      response.socket?.uncork();
    }
    response.end();
    if (response.writableLength > 0) new NodeStallTimer(response, this.#stallMs).start();
  }

  stream(headers: ResponseHeaders): EventSink {
    const { socket } = this.#response;
    if (socket) streaming.add(socket);
    this.#response.writeHead(200, headers);
    this.#response.flushHeaders();
    return new NodeSink(this.#response, this.#stallMs);
  }

  onGone(listener: () => void): void {
    if (this.#onGone) return void this.#onGone.push(listener);
    const response = this.#response;
    const listeners = [listener];
    this.#onGone = listeners;
    const onClose = () => {
      if (response.writableFinished) return;
      for (const each of listeners) each();
    };
    if (response.closed) queueMicrotask(onClose);
    else response.on("close", onClose);
  }
}

/** Names and values in turn: the form that node:http reads fastest. */
function toFlat(headers: ResponseHeaders): string[] {
  const flat: string[] = [];
  for (const name in headers) flat.push(name, headers[name] ?? "");
  return flat;
}

/**
 * The `StallTimer` of node:http: cuts a reader off when nothing of what was written has left for `stallMs`.
 *
 * Only the socket's own timer sees that part of a long text has left; `writableLength` counts whole writes.
 */
class NodeStallTimer {
  readonly #response: ServerResponse;
  readonly #stallMs: number;

  constructor(response: ServerResponse, stallMs: number) {
    this.#response = response;
    this.#stallMs = stallMs;
    response.on("timeout", () => response.destroy());
  }

  /** Starts the clock. node:http restarts it as long as bytes leave, and stops it when the answer is complete. */
  start(): void {
    this.#response.setTimeout(this.#stallMs);
  }

  stop(): void {
    this.#response.setTimeout(0);
  }
}

class NodeSink implements EventSink {
  readonly #response: ServerResponse;
  readonly #stallMs: number;
  #stallTimer: NodeStallTimer | undefined;
  #room: Promise<void> | undefined;

  constructor(response: ServerResponse, stallMs: number) {
    this.#response = response;
    this.#stallMs = stallMs;
  }

  /** Starts the timer, which is made on first use: most readers never stall. */
  #limitStall(): void {
    this.#stallTimer ??= new NodeStallTimer(this.#response, this.#stallMs);
    this.#stallTimer.start();
  }

  get bufferedBytes(): number {
    return this.#response.writableLength;
  }

  write(text: string): void | Promise<void> {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return undefined;
    if (this.bufferedBytes > maxBufferedBytes) return void response.destroy();
    response.write(text);
    if (this.bufferedBytes <= highWaterBytes) return undefined;
    this.#room ??= this.#drained();
    return this.#room;
  }

  end(): void {
    const { socket } = this.#response;
    if (socket) streaming.delete(socket);
    this.#response.end();
    if (this.bufferedBytes > 0) this.#limitStall();
  }

  #drained(): Promise<void> {
    const response = this.#response;
    this.#limitStall();
    return new Promise((resolve) => {
      const done = () => {
        this.#room = undefined;
        response.off("drain", done);
        response.off("close", done);
        if (!response.writableEnded) this.#stallTimer?.stop();
        resolve();
      };
      response.once("drain", done);
      response.once("close", done);
    });
  }
}

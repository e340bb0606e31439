import type { ServerResponse } from "node:http";
import {
  type EventSink,
  type HttpReply,
  highWaterBytes,
  maxBufferedBytes,
  type ResponseHeaders,
} from "../http-interface.ts";

const requestTimeout = 408;

/** Connections on which events are under way. */
const streaming = new WeakSet<object>();

export function isStreaming(socket: object): boolean {
  return streaming.has(socket);
}

/** An answer of node:http. */
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
    // What is too slow is waited for no longer. The rest of other bodies passes unread: a connection that
    // is closed while the client sends may lose the answer.
    if (status === requestTimeout) flat.push("connection", "close");
    response.writeHead(status, flat);
    if (body !== undefined) {
      response.write(body, length === body.length ? "latin1" : "utf8");
      // The text would wait for its empty end, to be sent with it in a way that takes longer.
      response.socket?.uncork();
    }
    response.end();
    if (response.writableLength > 0) new StallWatch(response, this.#stallMs).start();
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
    const tell = () => {
      if (response.writableFinished) return;
      for (const told of listeners) told();
    };
    if (response.closed) queueMicrotask(tell);
    else response.on("close", tell);
  }
}

/** Names and values in turn, which node:http reads fastest. */
function toFlat(headers: ResponseHeaders): string[] {
  const flat: string[] = [];
  for (const name in headers) flat.push(name, headers[name] ?? "");
  return flat;
}

/** Cuts a reader when none of what was written has left for so long. */
class StallWatch {
  readonly #response: ServerResponse;
  readonly #stallMs: number;

  constructor(response: ServerResponse, stallMs: number) {
    this.#response = response;
    this.#stallMs = stallMs;
    response.on("timeout", () => response.destroy());
  }

  /** Counts from now; node:http starts over as long as bytes leave, and stops when the answer is complete. */
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
  #stalling: StallWatch | undefined;
  #room: Promise<void> | undefined;

  constructor(response: ServerResponse, stallMs: number) {
    this.#response = response;
    this.#stallMs = stallMs;
  }

  /** Made when it is needed: most readers never stall. */
  get #watch(): StallWatch {
    this.#stalling ??= new StallWatch(this.#response, this.#stallMs);
    return this.#stalling;
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
    if (this.bufferedBytes > 0) this.#watch.start();
  }

  #drained(): Promise<void> {
    const response = this.#response;
    this.#watch.start();
    return new Promise((resolve) => {
      const done = () => {
        this.#room = undefined;
        response.off("drain", done);
        response.off("close", done);
        if (!response.writableEnded) this.#watch.stop();
        resolve();
      };
      response.once("drain", done);
      response.once("close", done);
    });
  }
}

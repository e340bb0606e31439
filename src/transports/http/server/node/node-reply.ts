import type { ServerResponse } from "node:http";
import {
  type EventSink,
  type HttpReply,
  highWaterBytes,
  maxBufferedBytes,
  type ResponseHeaders,
} from "../http-interface.ts";
import { queueAnswer } from "./answer-queue.ts";
import { NodeStallTimer } from "./stall-timer.ts";
import { endWithConnection } from "./waiting-answers.ts";

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

  constructor(response: ServerResponse, stallMs: number) {
    this.#response = response;
    this.#stallMs = stallMs;
    endWithConnection(response);
  }

  send(status: number, headers: ResponseHeaders, body?: string): void {
    const bytes = body === undefined ? 0 : Buffer.byteLength(body);
    const flat = toFlat(headers);
    flat.push("content-length", `${bytes}`);
    // A body that is too slow is not waited for. The rest of other bodies is read and dropped: closing the
    // connection while the client sends may lose the answer.
    if (status === requestTimeout) flat.push("connection", "close");
    const encoding = bytes === body?.length ? "latin1" : "utf8";
    queueAnswer({ response: this.#response, status, headers: flat, body, encoding, stallMs: this.#stallMs });
  }

  stream(headers: ResponseHeaders): EventSink {
    const { socket } = this.#response;
    if (socket) streaming.add(socket);
    this.#response.writeHead(200, headers);
    this.#response.flushHeaders();
    return new NodeSink(this.#response, this.#stallMs);
  }

  onGone(listener: () => void): void {
    const response = this.#response;
    const onClose = () => {
      if (!response.writableFinished) listener();
    };
    if (response.closed || (response.destroyed && response.socket === null)) queueMicrotask(onClose);
    else response.on("close", onClose);
  }
}

/** Names and values in turn: the form that node:http reads fastest. */
function toFlat(headers: ResponseHeaders): string[] {
  const flat: string[] = [];
  for (const name in headers) flat.push(name, headers[name] ?? "");
  return flat;
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

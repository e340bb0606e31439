import type { IncomingMessage, ServerResponse } from "node:http";
import { decodeUtf8 } from "../../../protocol/parse.ts";
import type { BodyText, EventSink, Headers, HttpReply, HttpRequest } from "../exchange.ts";

/** A request of node:http, read without conversion. */
export class NodeRequest implements HttpRequest {
  readonly #message: IncomingMessage;
  readonly path: string;
  readonly query: string;

  constructor(message: IncomingMessage) {
    this.#message = message;
    const url = message.url ?? "/";
    const mark = url.indexOf("?");
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? "" : url.slice(mark + 1);
  }

  get method(): string {
    return this.#message.method ?? "GET";
  }

  get address(): string | undefined {
    return this.#message.socket.remoteAddress;
  }

  header(name: string): string | undefined {
    const value = this.#message.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  readText(maxBytes: number): Promise<BodyText> {
    const declared = Number(this.#message.headers["content-length"]);
    if (declared > maxBytes) return Promise.resolve(tooLarge(maxBytes));
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      this.#message.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxBytes) {
          this.#message.removeAllListeners("data");
          this.#message.resume();
          resolve(tooLarge(maxBytes));
        } else chunks.push(chunk);
      });
      this.#message.on("end", () => resolve(toText(chunks)));
      this.#message.on("error", () =>
        resolve({ ok: false, status: 400, problem: "The body did not arrive whole." }),
      );
    });
  }
}

function tooLarge(maxBytes: number): BodyText {
  return {
    ok: false,
    status: 413,
    problem: `The body is larger than ${maxBytes} bytes; raise maxBodyBytes if it may be.`,
  };
}

function toText(chunks: readonly Buffer[]): BodyText {
  const [first] = chunks;
  const bytes = chunks.length === 1 && first ? first : Buffer.concat(chunks);
  const text = decodeUtf8(bytes);
  if (text === undefined) return { ok: false, status: 400, problem: "The body is not valid UTF-8." };
  return { ok: true, text };
}

/** Unread bytes beyond which a writer is told to wait. */
const highWater = 64 * 1024;
/** Unread bytes at which a reader is cut, whatever its writer does. */
const mostUnread = 1024 * 1024;

export class NodeReply implements HttpReply {
  readonly #response: ServerResponse;
  #onGone: (() => void)[] | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  send(status: number, headers: Headers, body?: string): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    // A body that was refused unread can't be followed by another request.
    const closes = hasUnreadBody(response.req) ? { connection: "close" } : {};
    response.writeHead(status, { ...headers, ...closes, "content-length": length });
    response.end(body);
  }

  stream(headers: Headers): EventSink {
    this.#response.writeHead(200, headers);
    this.#response.flushHeaders();
    return new NodeSink(this.#response);
  }

  onGone(listener: () => void): void {
    if (this.#onGone) return void this.#onGone.push(listener);
    const listeners = [listener];
    this.#onGone = listeners;
    this.#response.once("close", () => {
      if (this.#response.writableFinished) return;
      for (const told of listeners) told();
    });
  }
}

function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined);
}

class NodeSink implements EventSink {
  readonly #response: ServerResponse;
  #room: Promise<void> | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  write(text: string): void | Promise<void> {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return undefined;
    response.write(text);
    if (response.writableLength <= highWater) return undefined;
    if (response.writableLength > mostUnread) return void this.cut();
    this.#room ??= this.#drained();
    return this.#room;
  }

  end(): void {
    this.#response.end();
  }

  cut(): void {
    this.#response.destroy();
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#room = undefined;
        this.#response.off("drain", done);
        this.#response.off("close", done);
        resolve();
      };
      this.#response.once("drain", done);
      this.#response.once("close", done);
    });
  }
}

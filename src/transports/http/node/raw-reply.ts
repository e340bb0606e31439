import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { EventSink, Headers, HttpReply } from "../exchange.ts";

/** Answers on a connection that node:http has let go of, and closes it. */
export class RawReply implements HttpReply {
  readonly #socket: Duplex;

  constructor(socket: Duplex) {
    this.#socket = socket;
  }

  send(status: number, headers: Headers, body = ""): void {
    const socket = this.#socket;
    if (!socket.writable || socket.destroyed) return void socket.destroy();
    const all = { ...headers, "content-length": `${Buffer.byteLength(body)}`, connection: "close" };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    // What the client still sends is not read, and must not keep the connection open.
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`, () =>
      socket.destroy(),
    );
  }

  stream(): EventSink {
    throw new Error("There are no streams on a raw connection.");
  }

  onGone(listener: () => void): void {
    this.#socket.once("close", listener);
  }
}

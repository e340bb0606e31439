import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { EventSink, HttpReply, ResponseHeaders } from "../http-interface.ts";

/** The time that a client may go on sending after its answer. */
const lingerMs = 1_000;

/** A reply on a connection that node:http no longer handles; closes it. */
export class SocketReply implements HttpReply {
  readonly #socket: Duplex;

  constructor(socket: Duplex) {
    this.#socket = socket;
  }

  send(status: number, headers: ResponseHeaders, body = ""): void {
    const socket = this.#socket;
    if (!socket.writable || socket.destroyed) return void socket.destroy();
    const all = { ...headers, "content-length": `${Buffer.byteLength(body)}`, connection: "close" };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
    // Closing at once would lose the answer while the client is still sending; waiting for it could last indefinitely.
    socket.resume();
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once("close", () => clearTimeout(timer));
  }

  stream(): EventSink {
    throw new Error("There are no streams on a raw connection.");
  }

  onGone(listener: () => void): void {
    this.#socket.once("close", listener);
  }
}

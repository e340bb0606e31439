import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type RawResponse, toResponses } from "./raw-socket.ts";
import { SocketCheck } from "./socket-check.ts";

/** The answers of a connection that are checked: a test of load makes tens of thousands alike. */
const maxChecked = 2;

/** A connection that sends one request after the other, with as little between test and wire as possible. */
export class KeepAlive {
  readonly #socket: Socket;
  readonly #check = new SocketCheck();
  #checked = 0;
  #buffer = "";
  #settle: ((response: RawResponse | undefined) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      this.#buffer += chunk;
      this.#deliver();
    });
    socket.on("error", () => {});
    socket.on("close", () => this.#settle?.(undefined));
  }

  static async open(port: number): Promise<KeepAlive> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return new KeepAlive(socket);
  }

  get closed(): boolean {
    return this.#socket.destroyed || this.#socket.readableEnded;
  }

  /** The response, in Latin-1; undefined when the connection is closed instead. */
  send(text: string | Uint8Array): Promise<RawResponse | undefined> {
    if (this.closed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#settle = resolve;
      if (this.#checked < maxChecked) this.#check.onSent(text);
      this.#socket.write(text);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #deliver(): void {
    const [response] = toResponses(this.#buffer);
    if (response === undefined) return;
    // A connection has one request under way, so what has come is all its answer.
    if (this.#checked++ < maxChecked) this.#check.onReceived(this.#buffer);
    this.#check.reset();
    this.#buffer = "";
    // The server closes it after this answer: what is sent until that is seen would be lost.
    if (response.headers.connection === "close") this.#socket.destroy();
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(response);
  }
}

import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from "node:net";

interface Pair {
  readonly client: Socket;
  readonly store: Socket;
}

/** The way between one node and its store, which can be slow, cut, or lead nowhere. */
export class TcpProxy {
  readonly #target: number;
  readonly #pairs = new Set<Pair>();
  /** The last of the delayed chunks of each socket. */
  readonly #waiting = new Map<Socket, Promise<void>>();
  #server: Server | undefined;
  #port = 0;
  #delayMs = 0;
  #isBlackHole = false;
  #bytesUntilCut: number | undefined;

  constructor(target: number) {
    this.#target = target;
  }

  get target(): number {
    return this.#target;
  }

  get port(): number {
    return this.#port;
  }

  async open(): Promise<void> {
    const server = createServer((client) => this.#onConnection(client)).listen(this.#port, "127.0.0.1");
    this.#server = server;
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Delays everything, both ways. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Breaks all connections; new ones work. */
  cut(): void {
    for (const { client, store } of this.#pairs) {
      client.destroy();
      store.destroy();
    }
  }

  /** Breaks the connections in the middle of what a node sends next, after so many bytes of it. */
  cutMidCommand(afterBytes: number): void {
    this.#bytesUntilCut = afterBytes;
  }

  /** Lets nothing through, and says so to nobody, as a network does that has lost its packets. */
  blackHole(): void {
    this.#isBlackHole = true;
    for (const { client, store } of this.#pairs) {
      client.pause();
      store.pause();
    }
  }

  /** Connections from before have lost bytes, so they break. */
  heal(): void {
    if (!this.#isBlackHole) return;
    this.#isBlackHole = false;
    this.cut();
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, "close");
    server.close();
    this.cut();
    await closed;
  }

  #onConnection(client: Socket): void {
    const store = createConnection(this.#target, "127.0.0.1");
    const pair = { client, store };
    this.#pairs.add(pair);
    const end = () => {
      this.#pairs.delete(pair);
      client.destroy();
      store.destroy();
    };
    for (const socket of [client, store]) {
      socket.setNoDelay(true);
      socket.on("error", end);
      socket.on("close", end);
    }
    client.on("data", (chunk: Buffer) => this.#send(store, this.#upToCut(chunk, end)));
    store.on("data", (chunk: Buffer) => this.#send(client, chunk));
    if (this.#isBlackHole) {
      client.pause();
      store.pause();
    }
  }

  /** The part of a chunk before the cut, where there is one. */
  #upToCut(chunk: Buffer, end: () => void): Buffer {
    if (this.#bytesUntilCut === undefined) return chunk;
    const part = chunk.subarray(0, Math.min(this.#bytesUntilCut, chunk.length - 1));
    this.#bytesUntilCut = undefined;
    setImmediate(end);
    return part;
  }

  /** Writes a chunk in its time, and never before those that came earlier. */
  #send(socket: Socket, chunk: Buffer): void {
    const waiting = this.#waiting.get(socket);
    if (this.#delayMs === 0 && waiting === undefined) return void socket.write(chunk);
    const due = new Promise<void>((resolve) => {
      setTimeout(() => resolve(), this.#delayMs);
    });
    const sent = Promise.all([waiting, due]).then(() => {
      if (socket.writable) socket.write(chunk);
      if (this.#waiting.get(socket) === sent) this.#waiting.delete(socket);
    });
    this.#waiting.set(socket, sent);
  }
}

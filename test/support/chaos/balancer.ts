import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/** A proxy in front of all nodes: it picks one at random for each request, and knows nothing of sessions. */
export class Balancer {
  readonly #ports: readonly number[];
  readonly #random: () => number;
  readonly #agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  readonly #server: Server;
  readonly #left = new Set<number>();

  constructor(ports: readonly number[], random: () => number) {
    this.#ports = ports;
    this.#random = random;
    this.#server = createServer((incoming, outgoing) => this.#forward(incoming, outgoing, this.#order()));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  async open(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Sends no more requests to a node, which is about to be drained. */
  leave(port: number): void {
    this.#left.add(port);
  }

  join(port: number): void {
    this.#left.delete(port);
  }

  #order(): readonly number[] {
    const ports = this.#ports.filter((port) => !this.#left.has(port));
    const first = Math.floor(this.#random() * ports.length);
    return [...ports.slice(first), ...ports.slice(0, first)];
  }

  /** Tries the next node only where one refuses the connection: anything else might send a request twice. */
  #forward(incoming: IncomingMessage, outgoing: ServerResponse, ports: readonly number[]): void {
    const [port, ...others] = ports;
    if (port === undefined) return void outgoing.writeHead(502).end();
    const { method, headers, url } = incoming;
    const passed = request({ host: "127.0.0.1", port, path: url, method, headers, agent: this.#agent });
    let isConnected = false;
    passed.once("socket", (socket) =>
      socket.once("connect", () => {
        isConnected = true;
        incoming.pipe(passed);
      }),
    );
    passed.once("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      // A node that dies in the middle of an answer must not look like one that has finished.
      answer.once("aborted", () => outgoing.destroy());
    });
    passed.once("error", () => {
      if (!isConnected) this.#forward(incoming, outgoing, others);
      else outgoing.destroy();
    });
    outgoing.once("close", () => passed.destroy());
  }
}

import type { SeededRandom } from "../../../src/testing/seeded-random.ts";
import type { HttpEndpoint } from "../../../src/transports/http/server/endpoint.ts";
import type {
  EventSink,
  HttpReply,
  HttpRequest,
  ResponseHeaders,
} from "../../../src/transports/http/server/http-interface.ts";
import type { Host, VirtualClock } from "./virtual-clock.ts";

/** A node that takes requests. */
export interface SimulatedNode {
  readonly host: Host;
  readonly endpoint: HttpEndpoint;
}

export interface NetworkFaults {
  readonly latencyMs: number;
  /** Connections that break at some point, from 0 to 1. */
  readonly cuts: number;
}

/** The network between clients and nodes: each request goes to any node that accepts connections. */
export class SimulatedNetwork {
  readonly #clock: VirtualClock;
  readonly #random: SeededRandom;
  readonly #connections = new Set<Connection>();
  nodes: readonly SimulatedNode[] = [];
  /** The process that all requests go to. Default: any. */
  target: Host | undefined;
  faults: NetworkFaults;

  constructor(clock: VirtualClock, random: SeededRandom, faults: NetworkFaults) {
    this.#clock = clock;
    this.#random = random;
    this.faults = faults;
  }

  /** Breaks the connections of a node that was killed. */
  drop(host: Host): void {
    for (const connection of [...this.#connections]) if (connection.host === host) connection.cut();
  }

  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { signal } = init;
    signal?.throwIfAborted();
    // A balancer knows which nodes refuse connections, not which are frozen.
    const alive = this.nodes.filter(({ host }) => host.isAlive && host === (this.target ?? host));
    if (alive.length === 0) {
      await this.#delay();
      throw new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") });
    }
    const node = this.#random.pick(alive);
    const connection = new Connection(
      node.host,
      this.#clock,
      () => this.#random.next() * this.faults.latencyMs,
    );
    this.#connections.add(connection);
    const forget = () => void this.#connections.delete(connection);
    void connection.closed.then(forget);
    signal?.addEventListener("abort", () => connection.leave(signal.reason as Error), { once: true });
    if (this.#random.chance(this.faults.cuts))
      this.#clock.schedule(this.#clock.outside, this.#random.next() * 2_000, () => connection.cut());
    const request = toHttpRequest(String(input instanceof Request ? input.url : input), init);
    connection.toNode(() => node.endpoint.handle(request, connection.reply));
    return connection.response;
  };

  #delay(): Promise<void> {
    return new Promise((resolve) =>
      this.#clock.schedule(this.#clock.outside, this.#random.next() * this.faults.latencyMs, resolve),
    );
  }
}

/** One request and its answer. What is sent arrives in order, and nothing after the connection has broken. */
class Connection {
  readonly host: Host;
  readonly response: Promise<Response>;
  readonly closed: Promise<void>;
  readonly reply: HttpReply;
  readonly #clock: VirtualClock;
  readonly #latency: () => number;
  readonly #gone: (() => void)[] = [];
  #resolve: (response: Response) => void = () => {};
  #reject: (error: Error) => void = () => {};
  #close: () => void = () => {};
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  #lastArrival = { node: 0, client: 0 };
  #isClosed = false;
  #isAnswered = false;

  constructor(host: Host, clock: VirtualClock, latency: () => number) {
    this.host = host;
    this.#clock = clock;
    this.#latency = latency;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.closed = new Promise((resolve) => {
      this.#close = resolve;
    });
    this.reply = {
      send: (status, headers, body) => this.#send(status, headers, body),
      stream: (headers) => this.#stream(headers),
      onGone: (listener) => void this.#gone.push(listener),
    };
  }

  toNode(action: () => void): void {
    this.#clock.schedule(this.host, this.#arrival("node"), () => {
      if (!this.#isClosed) action();
    });
  }

  /** Breaks it: both sides notice, each in its time. */
  cut(): void {
    if (this.#isClosed) return;
    this.#end();
    this.#clock.schedule(this.#clock.outside, this.#latency(), () =>
      this.#fail(new TypeError("fetch failed", { cause: new Error("ECONNRESET") })),
    );
    this.#tellNode();
  }

  /** The client does not want the rest. */
  leave(reason: Error): void {
    if (this.#isClosed) return;
    this.#end();
    this.#fail(reason);
    this.#tellNode();
  }

  #end(): void {
    this.#isClosed = true;
    this.#close();
  }

  #fail(error: Error): void {
    this.#reject(error);
    this.#body?.error(error);
  }

  #tellNode(): void {
    this.#clock.schedule(this.host, this.#latency(), () => {
      if (this.#isAnswered) return;
      this.#isAnswered = true;
      for (const listener of this.#gone) listener();
    });
  }

  #toClient(action: () => void): void {
    this.#clock.schedule(this.#clock.outside, this.#arrival("client"), () => {
      if (!this.#isClosed) action();
    });
  }

  #send(status: number, headers: ResponseHeaders, body?: string): void {
    if (this.#body || this.#isAnswered) return this.cut();
    this.#isAnswered = true;
    const isEmpty = status === 204 || body === undefined;
    this.#toClient(() => {
      this.#resolve(new Response(isEmpty ? null : body, { status, headers }));
      this.#end();
    });
  }

  #stream(headers: ResponseHeaders): EventSink {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = controller;
      },
      cancel: () => this.leave(new Error("The client is gone.")),
    });
    this.#toClient(() => this.#resolve(new Response(body, { status: 200, headers })));
    const encoder = new TextEncoder();
    return {
      bufferedBytes: 0,
      write: (text) => this.#toClient(() => this.#body?.enqueue(encoder.encode(text))),
      end: () => {
        this.#isAnswered = true;
        this.#toClient(() => {
          this.#body?.close();
          this.#end();
        });
      },
    };
  }

  #arrival(side: "node" | "client"): number {
    const { now } = this.#clock;
    this.#lastArrival[side] = Math.max(now + this.#latency(), this.#lastArrival[side]);
    return this.#lastArrival[side] - now;
  }
}

function toHttpRequest(url: string, { method = "GET", headers, body }: RequestInit): HttpRequest {
  const given = new Headers(headers);
  given.set("host", new URL(url).host);
  return {
    method,
    path: new URL(url).pathname,
    prefix: "",
    mountPath: "",
    query: "",
    url,
    header: (name) => given.get(name) ?? undefined,
    headerNames: () => given.keys(),
    readText: (_limits, _caller, receive) => receive({ ok: true, text: String(body ?? "") }),
    address: "127.0.0.1",
  };
}

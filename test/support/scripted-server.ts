import type { Pipe } from "../../src/contract/pipe.ts";
import type { Transport } from "../../src/contract/transport.ts";
import { RpcError } from "../../src/errors.ts";
import { pipeTransport } from "../../src/peer/pipe-transport.ts";
import { createMemoryPipe } from "../../src/transports/memory/pipe.ts";

// biome-ignore lint/suspicious/noExplicitAny: what a script looks at is whatever came over the wire.
export type Wire = any;

/** Gives the result of a request, throws its error, or gives `silence`. */
export type Answer = (params: Wire, line: Line, message: Wire) => unknown;
export type Script = { readonly [method: string]: Answer };

/** Returned by an answer that sends what it wants by itself, or nothing. */
export const silence: unique symbol = Symbol("silence");

/** One connection to a scripted server, seen from the server. */
export class Line {
  readonly received: Wire[] = [];
  readonly #pipe: Pipe;
  readonly #script: Script;
  readonly #waiting = new Set<{ matches: (message: Wire) => boolean; resolve: (message: Wire) => void }>();
  readonly closed: Promise<void>;

  constructor(pipe: Pipe, script: Script) {
    this.#pipe = pipe;
    this.#script = script;
    this.closed = new Promise((resolve) => {
      pipe.start({
        onText: (text) => void this.#onMessage(JSON.parse(text)),
        onUnreadable: () => {},
        onStrayOutput: () => {},
        onClose: () => resolve(),
      });
    });
  }

  /** Sends a message, or text that is none. */
  send(message: Wire): void {
    void this.#pipe.write(
      typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message }),
    );
  }

  notify(method: string, params: object = {}): void {
    this.send({ method, params });
  }

  /** Sends a request and resolves with the whole response. */
  ask(id: string | number, method: string, params: object = {}): Promise<Wire> {
    const response = this.next((message) => message.id === id && message.method === undefined);
    this.send({ id, method, params });
    return response;
  }

  close(): Promise<void> {
    return this.#pipe.close();
  }

  /** The first message of a method that has been received or will be. */
  saw(method: string): Promise<Wire> {
    const seen = this.received.find((message) => message.method === method);
    return seen ? Promise.resolve(seen) : this.next((message) => message.method === method);
  }

  /** The next message to arrive that matches. */
  next(matches: (message: Wire) => boolean): Promise<Wire> {
    return new Promise((resolve) => this.#waiting.add({ matches, resolve }));
  }

  methods(): string[] {
    return this.received.flatMap(({ method }) => (method === undefined ? [] : [method]));
  }

  paramsOf(method: string): Wire[] {
    return this.received.filter((message) => message.method === method).map(({ params }) => params);
  }

  async #onMessage(message: Wire): Promise<void> {
    this.received.push(message);
    for (const waiting of [...this.#waiting]) {
      if (!waiting.matches(message)) continue;
      this.#waiting.delete(waiting);
      waiting.resolve(message);
    }
    if (message.method === undefined) return;
    const { id, method, params } = message;
    const answer = this.#script[method];
    if (id === undefined) return void answer?.(params, this, message);
    try {
      if (answer === undefined) throw new RpcError(-32601, `Method not found: ${method}`);
      const result = await answer(params, this, message);
      if (result !== silence) this.send({ id, result });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      this.send({ id, error: error.toErrorObject() });
    }
  }
}

/** A server that does exactly what its script says, each connection from the start. */
export class ScriptedServer {
  readonly lines: Line[] = [];
  readonly transport: Transport;

  constructor(script: Script | ((connection: number) => Script)) {
    this.transport = pipeTransport("memory", () => {
      const [client, server] = createMemoryPipe();
      const own = typeof script === "function" ? script(this.lines.length) : script;
      this.lines.push(new Line(server, own));
      return client;
    });
  }

  /** The last connection that was opened. */
  get line(): Line {
    const line = this.lines.at(-1);
    if (line === undefined) throw new Error("Nobody has connected yet.");
    return line;
  }
}

export const everyCapability = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
};

export interface Offer {
  readonly capabilities?: object;
  readonly script?: Script;
}

/** A server that opens by `initialize`, always in one version. */
export function handshakeServer(version: string, offer: Offer = {}): ScriptedServer {
  const { capabilities = everyCapability, script = {} } = offer;
  return new ScriptedServer({
    initialize: () => ({
      protocolVersion: version,
      capabilities,
      serverInfo: { name: "scripted", version: "1" },
      instructions: "Follow the script.",
    }),
    ping: () => ({}),
    ...script,
  });
}

/** A server that has no handshake and speaks these versions. */
export function discoverServer(
  offer: Offer & { readonly versions?: readonly string[] } = {},
): ScriptedServer {
  const { capabilities = everyCapability, versions = ["2026-07-28"], script = {} } = offer;
  return new ScriptedServer({
    "server/discover": () => ({
      resultType: "complete",
      supportedVersions: versions,
      capabilities,
      instructions: "Follow the script.",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "scripted", version: "1" } },
      ttlMs: 0,
      cacheScope: "public",
    }),
    ...script,
  });
}

import type { Pipe } from "../../contract/pipe.ts";
import type { Transport } from "../../contract/transport.ts";
import { RpcError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { pipeTransport } from "../../peer/pipe-transport.ts";
import type { Implementation } from "../../protocol/model/identity.ts";
import { SupportedRevisions } from "../../protocol/negotiate.ts";
import { methodNotFound } from "../../protocol/wire-error.ts";
import { createMemoryPipe } from "../../transports/memory/pipe.ts";

/** Gives the result of a request, throws its error, or gives `silence`. `Wire` is the type that scripts see messages as. */
export type ScriptedAnswer<Wire = JsonObject> = (
  params: Wire,
  connection: ScriptedConnection<Wire>,
  message: Wire,
) => unknown;

/** The answers of a server by method; those of notifications return nothing. */
export type ServerScript<Wire = JsonObject> = { readonly [method: string]: ScriptedAnswer<Wire> };

/** Returned by an answer that sends what it wants by itself, or nothing. */
export const silence: unique symbol = Symbol("silence");

interface Envelope {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: unknown;
}

interface Waiting<Wire> {
  readonly matches: (message: Wire) => boolean;
  readonly resolve: (message: Wire) => void;
}

/** One connection to a scripted server, seen from the server. */
export class ScriptedConnection<Wire = JsonObject> {
  readonly received: Wire[] = [];
  /** Settles when the connection is closed, on either side. */
  readonly closed: Promise<void>;
  readonly #pipe: Pipe;
  readonly #script: ServerScript<Wire>;
  readonly #waiting = new Set<Waiting<Wire>>();
  #isClosed = false;

  constructor(pipe: Pipe, script: ServerScript<Wire>) {
    this.#pipe = pipe;
    this.#script = script;
    this.closed = new Promise((resolve) => {
      pipe.start({
        onText: (text) => void this.#onMessage(JSON.parse(text)),
        onUnreadable: () => {},
        onStrayOutput: () => {},
        onClose: () => {
          this.#isClosed = true;
          resolve();
        },
      });
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Sends a message, or text that is none. */
  send(message: string | object): void {
    void this.write(message);
  }

  /** Sends a message, and settles when there is room for the next. */
  async write(message: string | object): Promise<void> {
    const text = typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message });
    await this.#pipe.write(text);
  }

  notify(method: string, params: object = {}): void {
    this.send({ method, params });
  }

  /** Sends a request and resolves with the whole response. */
  ask(id: string | number, method: string, params: object = {}): Promise<Wire> {
    const response = this.next((message) => {
      const envelope = message as Envelope;
      return envelope.id === id && envelope.method === undefined;
    });
    this.send({ id, method, params });
    return response;
  }

  close(): Promise<void> {
    return this.#pipe.close();
  }

  /** The first message of a method that has been received or will be. */
  saw(method: string): Promise<Wire> {
    const isSought = (message: Wire) => (message as Envelope).method === method;
    const seen = this.received.find(isSought);
    return seen ? Promise.resolve(seen) : this.next(isSought);
  }

  /** The next message to arrive that matches. */
  next(matches: (message: Wire) => boolean): Promise<Wire> {
    return new Promise((resolve) => this.#waiting.add({ matches, resolve }));
  }

  methods(): string[] {
    return this.received.flatMap((message) => (message as Envelope).method ?? []);
  }

  paramsOf(method: string): Wire[] {
    return this.received
      .filter((message) => (message as Envelope).method === method)
      .map((message) => (message as Envelope).params as Wire);
  }

  async #onMessage(message: Wire): Promise<void> {
    this.received.push(message);
    for (const waiting of [...this.#waiting]) {
      if (!waiting.matches(message)) continue;
      this.#waiting.delete(waiting);
      waiting.resolve(message);
    }
    const { id, method, params } = message as Envelope;
    if (method === undefined) return;
    const answer = this.#script[method];
    if (id === undefined) return void answer?.(params as Wire, this, message);
    try {
      if (answer === undefined) throw methodNotFound(method);
      const result = await answer(params as Wire, this, message);
      if (result !== silence) this.send({ id, result });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      this.send({ id, error: error.toErrorObject() });
    }
  }
}

/** A server that does exactly what its script says, each connection from the start. */
export class ScriptedServer<Wire = JsonObject> {
  readonly connections: ScriptedConnection<Wire>[] = [];
  readonly transport: Transport;
  readonly #script: ServerScript<Wire> | ((connection: number) => ServerScript<Wire>);

  /** A function gives each connection a script of its own. */
  constructor(script: ServerScript<Wire> | ((connection: number) => ServerScript<Wire>)) {
    this.#script = script;
    this.transport = pipeTransport("memory", () => {
      const [client, server] = createMemoryPipe();
      this.serve(server);
      return client;
    });
  }

  /** The last connection that was opened. */
  get connection(): ScriptedConnection<Wire> {
    const connection = this.connections.at(-1);
    if (connection === undefined) throw new Error("Nobody has connected yet.");
    return connection;
  }

  /** Serves the other end of a pipe. */
  serve(pipe: Pipe): ScriptedConnection<Wire> {
    const script = typeof this.#script === "function" ? this.#script(this.connections.length) : this.#script;
    const connection = new ScriptedConnection(pipe, script);
    this.connections.push(connection);
    return connection;
  }

  /** Serves the streams of this process; settles when the connection is closed. */
  async serveStdio(): Promise<void> {
    const { openStdioPipe } = await import("./stdio-pipe.ts");
    await this.serve(openStdioPipe()).closed;
  }
}

export const everyCapability = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
} as const;

export interface ScriptOptions<Wire = JsonObject> {
  /** The revision to speak. Default: the newest of its kind. */
  readonly revision?: string | undefined;
  /** The name and version that the server gives itself. */
  readonly info?: Implementation | undefined;
  /** The capabilities to declare. Default: tools, resources, prompts, logging and completions. */
  readonly capabilities?: object | undefined;
  readonly script?: ServerScript<Wire> | undefined;
}

const defaultInfo: Implementation = { name: "scripted", version: "1" };
const instructions = "Follow the script.";

/** The script of a server that opens by `initialize`, always in one revision. */
export function handshakeScript<Wire = JsonObject>(options: ScriptOptions<Wire> = {}): ServerScript<Wire> {
  const { revision = newest("handshake"), info = defaultInfo, script } = options;
  const { capabilities = everyCapability } = options;
  return {
    initialize: () => ({ protocolVersion: revision, capabilities, serverInfo: info, instructions }),
    ping: () => ({}),
    ...script,
  };
}

/** The script of a server that has no handshake and speaks these revisions. */
export function discoverScript<Wire = JsonObject>(
  options: Omit<ScriptOptions<Wire>, "revision"> & {
    readonly revisions?: readonly string[] | undefined;
  } = {},
): ServerScript<Wire> {
  const { revisions = [newest("each-request")], info = defaultInfo, script } = options;
  const { capabilities = everyCapability } = options;
  return {
    "server/discover": () => ({
      resultType: "complete",
      supportedVersions: revisions,
      capabilities,
      instructions,
      _meta: { "io.modelcontextprotocol/serverInfo": info },
      ttlMs: 0,
      cacheScope: "public",
    }),
    ...script,
  };
}

function newest(opening: "handshake" | "each-request"): string {
  return new SupportedRevisions().opening(opening)[0]?.version ?? "";
}

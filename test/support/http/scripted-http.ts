import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";

// biome-ignore lint/suspicious/noExplicitAny: what a script looks at is whatever came over the wire.
type Wire = any;

/** One request as a scripted server sees it, and the ways to answer it. */
export class Visit {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Wire;
  /** Settles when the connection of this request is gone. */
  readonly gone: Promise<void>;
  readonly at: number = performance.now();
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse, body: Wire) {
    this.method = request.method ?? "";
    this.path = request.url ?? "";
    this.headers = request.headers;
    this.body = body;
    this.#response = response;
    this.gone = once(response, "close").then(() => {});
  }

  /** The JSON-RPC method, or the HTTP method where there is none. */
  get what(): string {
    return this.body?.method ?? (this.body ? "answer" : this.method);
  }

  send(status: number, body = "", headers: Record<string, string> = {}): void {
    this.#response.writeHead(status, headers).end(body);
  }

  json(message: Wire, headers: Record<string, string> = {}, status = 200): void {
    this.send(status, JSON.stringify(message), { "content-type": "application/json", ...headers });
  }

  result(result: object, headers: Record<string, string> = {}): void {
    this.json({ jsonrpc: "2.0", id: this.body.id, result }, headers);
  }

  error(
    code: number,
    message: string,
    options: { status?: number; data?: unknown; id?: unknown } = {},
  ): void {
    const { status = 200, data, id = this.body?.id } = options;
    this.json({ jsonrpc: "2.0", id, error: { code, message, data } }, {}, status);
  }

  /** Begins an answer of unknown length. */
  head(status: number, headers: Record<string, string> = {}): this {
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
    return this;
  }

  /** Begins a stream of events. */
  stream(headers: Record<string, string> = {}): this {
    return this.head(200, { "content-type": "text/event-stream", ...headers });
  }

  write(text: string | Uint8Array): this {
    this.#response.write(text);
    return this;
  }

  event(message: Wire, fields: { id?: string; retry?: number; event?: string } = {}): this {
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
    const data = typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message });
    return this.write(`${lines.join("")}data: ${data}\n\n`);
  }

  /** The answer to this request, as the last event. */
  finish(result: object, fields: { id?: string } = {}): void {
    this.event({ id: this.body.id, result }, fields).end();
  }

  end(): void {
    this.#response.end();
  }

  /** Breaks the connection. */
  cut(): void {
    this.#response.socket?.destroy();
  }
}

export type Handler = (visit: Visit) => unknown;

/** A server on this machine that does what its script says, and remembers who came. */
export class ScriptedHttp {
  readonly visits: Visit[] = [];
  #handler: Handler;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #waiting = new Set<() => void>();

  private constructor(handler: Handler) {
    this.#handler = handler;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  static async start(handler: Handler): Promise<ScriptedHttp> {
    const server = new ScriptedHttp(handler);
    await server.listen(0);
    onTestFinished(() => server.stop());
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  /** Goes away with all connections, as a process that is killed does. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** From now on follows another script. */
  become(handler: Handler): void {
    this.#handler = handler;
  }

  of(what: string): Visit[] {
    return this.visits.filter((visit) => visit.what === what);
  }

  whats(): string[] {
    return this.visits.map(({ what }) => what);
  }

  /** The visit number `nth` of its kind, whether it has come already or not. */
  async saw(what: string, nth = 0): Promise<Visit> {
    for (;;) {
      const visit = this.of(what)[nth];
      if (visit) return visit;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const visit = new Visit(request, response, text === "" ? undefined : JSON.parse(text));
    this.visits.push(visit);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
    await this.#handler(visit);
  }
}

const everyCapability = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
};

export type Answers = { readonly [what: string]: Handler };

/** Opens by `initialize` in one version, with a session; the rest is up to the script. */
export function sessionScript(version: string, answers: Answers = {}): Handler {
  let sessions = 0;
  return (visit) => {
    const answer = answers[visit.what];
    if (answer) return answer(visit);
    switch (visit.what) {
      case "server/discover":
        return visit.error(-32601, "Method not found");
      case "initialize":
        return visit.result(greeting(version), { "mcp-session-id": `session-${++sessions}` });
      case "GET":
        return visit.send(405);
      case "DELETE":
        return visit.send(204);
      case "ping":
        return visit.result({});
      default:
        if (visit.body?.id === undefined || visit.what === "answer") return visit.send(202);
        return visit.error(-32601, `Method not found: ${visit.what}`);
    }
  };
}

/** Has no handshake; each request stands for itself. */
export function aloneScript(answers: Answers = {}): Handler {
  return (visit) => {
    const answer = answers[visit.what];
    if (answer) return answer(visit);
    switch (visit.what) {
      case "server/discover":
        return visit.result({
          resultType: "complete",
          supportedVersions: ["2026-07-28"],
          capabilities: everyCapability,
          ttlMs: 0,
          cacheScope: "public",
        });
      case "tools/list":
        return visit.result({ resultType: "complete", tools: [], ttlMs: 0, cacheScope: "public" });
      default:
        if (visit.method !== "POST") return visit.send(405);
        return visit.error(-32601, `Method not found: ${visit.what}`, { status: 404 });
    }
  };
}

export function greeting(version: string): object {
  return {
    protocolVersion: version,
    capabilities: everyCapability,
    serverInfo: { name: "scripted", version: "1" },
  };
}

export const done = { content: [{ type: "text", text: "done" }] } as const;

import { createMemoryPipe, type Pipe, type Server, servePipe } from "allspeak";
import { WireCheck } from "./wire-schema/wire-check.ts";

export type Wire = Record<string, unknown>;

/** A client that only knows JSON-RPC: it says what the test says, and hears all that comes. */
export class RawClient {
  readonly heard: Wire[] = [];
  readonly #pipe: Pipe;
  readonly #answers = new Map<unknown, (message: Wire) => void>();
  #wake: (() => void)[] = [];
  readonly #check = new WireCheck("server");
  #nextId = 1;
  onRequest: (message: Wire) => unknown = () => undefined;

  constructor(pipe: Pipe) {
    this.#pipe = pipe;
    pipe.start({
      onText: (text) => this.#hear(JSON.parse(text)),
      onUnreadable: () => {},
      onStrayOutput: () => {},
      onClose: () => {},
    });
  }

  say(message: unknown): void {
    if (typeof message !== "string") this.#check.tap(message, "sent");
    void this.#pipe.write(typeof message === "string" ? message : JSON.stringify(message));
  }

  notify(method: string, params: Wire = {}): void {
    this.say({ jsonrpc: "2.0", method, params });
  }

  /** The whole response, result or error. */
  ask(method: string, params?: Wire, id: string | number = this.#nextId++): Promise<Wire> {
    const answer = new Promise<Wire>((resolve) => this.#answers.set(id, resolve));
    this.say({ jsonrpc: "2.0", id, method, params });
    return answer;
  }

  /** The result, or a rejection with the error object. */
  async result(method: string, params?: Wire): Promise<Wire> {
    const { result, error } = await this.ask(method, params);
    if (error) throw error;
    return result as Wire;
  }

  async initialize(protocolVersion = "2025-11-25", capabilities: Wire = {}): Promise<Wire> {
    const params = { protocolVersion, capabilities, clientInfo: { name: "raw", version: "1" } };
    const result = await this.result("initialize", params);
    this.notify("notifications/initialized");
    return result;
  }

  /** The first message that fits, whether it has arrived already or not. */
  async until(fits: (message: Wire) => boolean): Promise<Wire> {
    for (;;) {
      const found = this.heard.find(fits);
      if (found) return found;
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  /** Waits until everything under way has been delivered. */
  async settle(): Promise<Wire[]> {
    await new Promise((resolve) => setImmediate(resolve));
    return this.heard;
  }

  close(): Promise<void> {
    return this.#pipe.close();
  }

  #hear(message: Wire): void {
    this.#check.tap(message, "received");
    this.heard.push(message);
    const answer = this.#answers.get(message.id);
    if (answer && !("method" in message)) answer(message);
    if ("method" in message && "id" in message) {
      const result = this.onRequest(message);
      if (result !== undefined) this.say({ jsonrpc: "2.0", id: message.id, result });
    }
    for (const wake of this.#wake.splice(0)) wake();
  }
}

export function openRaw(server: Server<unknown>): RawClient {
  const [near, far] = createMemoryPipe();
  servePipe(server, far);
  return new RawClient(near);
}

/** The metadata with which a request names the newest revision. */
export function alone(params: Wire = {}, capabilities: Wire = {}, version = "2026-07-28"): Wire {
  return {
    ...params,
    _meta: {
      ...(params._meta as Wire | undefined),
      "io.modelcontextprotocol/protocolVersion": version,
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    },
  };
}

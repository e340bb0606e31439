import type { Pipe } from "../../contract/pipe.ts";
import { SupportedRevisions } from "../../protocol/negotiate.ts";

/** A message of a raw client. */
export type RawMessage = Record<string, unknown>;

export interface RawClientOptions {
  readonly onMessage?: ((message: unknown, direction: "sent" | "received") => void) | undefined;
}

/** A client that knows only JSON-RPC: it sends what a test gives it, whatever that is, and keeps all that comes. */
export class RawClient {
  readonly received: RawMessage[] = [];
  /** Returns the result of a request of the server; undefined sends none. */
  onRequest: (message: RawMessage) => unknown = () => undefined;
  readonly #pipe: Pipe;
  readonly #options: RawClientOptions;
  readonly #answers = new Map<unknown, (message: RawMessage) => void>();
  #wake: (() => void)[] = [];
  #isClosed = false;
  #nextId = 1;

  constructor(pipe: Pipe, options: RawClientOptions = {}) {
    this.#pipe = pipe;
    this.#options = options;
    pipe.start({
      onText: (text) => this.#onMessage(JSON.parse(text)),
      onUnreadable: () => {},
      onStrayOutput: () => {},
      onClose: () => {
        this.#isClosed = true;
        this.#wakeAll();
      },
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Sends a message, or text that is none. */
  send(message: unknown): void {
    if (typeof message !== "string") this.#options.onMessage?.(message, "sent");
    void this.#pipe.write(typeof message === "string" ? message : JSON.stringify(message));
  }

  notify(method: string, params: RawMessage = {}): void {
    this.send({ jsonrpc: "2.0", method, params });
  }

  /** The whole response, result or error. */
  ask(method: string, params?: RawMessage, id: string | number = this.#nextId++): Promise<RawMessage> {
    const answer = new Promise<RawMessage>((resolve) => this.#answers.set(id, resolve));
    this.send({ jsonrpc: "2.0", id, method, params });
    return answer;
  }

  /** The result, or a rejection with the error object. */
  async result(method: string, params?: RawMessage): Promise<RawMessage> {
    const { result, error } = await this.ask(method, params);
    if (error) throw error;
    return result as RawMessage;
  }

  async initialize(
    protocolVersion: string = newestHandshake(),
    capabilities: RawMessage = {},
  ): Promise<RawMessage> {
    const params = { protocolVersion, capabilities, clientInfo: { name: "raw", version: "1" } };
    const result = await this.result("initialize", params);
    this.notify("notifications/initialized");
    return result;
  }

  /** The first message that fits, whether it has arrived already or not. Rejects when the server hangs up first. */
  async until(fits: (message: RawMessage) => boolean): Promise<RawMessage> {
    for (;;) {
      const found = this.received.find(fits);
      if (found) return found;
      if (this.#isClosed) throw new Error("The server closed the connection before such a message came.");
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  close(): Promise<void> {
    return this.#pipe.close();
  }

  #onMessage(message: RawMessage): void {
    this.#options.onMessage?.(message, "received");
    this.received.push(message);
    const answer = this.#answers.get(message.id);
    if (answer && !("method" in message)) answer(message);
    if ("method" in message && "id" in message) {
      const result = this.onRequest(message);
      if (result !== undefined) this.send({ jsonrpc: "2.0", id: message.id, result });
    }
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

function newestHandshake(): string {
  return new SupportedRevisions().opening("handshake")[0]?.version ?? "";
}

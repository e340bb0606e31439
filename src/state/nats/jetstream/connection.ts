import { startBackgroundTimer } from "../../../lib/async/timers.ts";
import {
  loadClient,
  type NatsConnection,
  type NatsHeaders,
  type NatsMessage,
  type NatsModule,
} from "./client.ts";

/** The time after which a request fails, though the connection seems to be open. */
const requestMs = 3_000;
/** The time after which a connection without requests and subscriptions is closed, so that it keeps no process alive. */
const idleMs = 2_000;

export type OpenConnection = (module: NatsModule, signal: AbortSignal) => Promise<NatsConnection>;

interface WaitOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

interface Opened {
  readonly connection: NatsConnection;
  readonly module: NatsModule;
  isAway: boolean;
}

interface Subscription {
  readonly subject: string;
  readonly onMessage: (message: NatsMessage) => void;
  unsubscribe: (() => void) | undefined;
}

/**
 * A connection that opens with its first use, and fails at once while the server is away.
 *
 * The client of NATS connects again by itself; what it would send then is refused here instead.
 */
export class Connection {
  readonly #open: OpenConnection;
  readonly #isOwn: boolean;
  readonly #failing = new Set<(error: Error) => void>();
  readonly #subscriptions = new Set<Subscription>();
  /** The subscriptions that the server does not know of yet. */
  readonly #unsent = new Set<Subscription>();
  #opening: Promise<Opened> | undefined;
  #idleTimer: ReturnType<typeof setInterval> | undefined;
  #usedAt = 0;
  readonly #closing = new AbortController();

  /** `isOwn`: whether this closes it, too. */
  constructor(open: OpenConnection, isOwn: boolean) {
    this.#open = open;
    this.#isOwn = isOwn;
  }

  /** True if there is a connection, or one is being opened. */
  get isOpen(): boolean {
    return this.#opening !== undefined;
  }

  async info(): Promise<{ version: string; maxPayload: number }> {
    const { connection } = await this.#use();
    const { version = "0.0.0", max_payload: maxPayload = 1024 ** 2 } = connection.info ?? {};
    return { version, maxPayload };
  }

  async request(
    subject: string,
    payload: Uint8Array | string,
    { headers = {}, timeoutMs = requestMs }: WaitOptions = {},
  ): Promise<NatsMessage> {
    const { connection, module } = await this.#use();
    return new Promise((resolve, reject) => {
      this.#failing.add(reject);
      const end = () => this.#failing.delete(reject);
      connection
        .request(subject, payload, { timeout: timeoutMs, ...toOptions(module, headers) })
        .then(resolve, reject)
        .finally(end);
    });
  }

  /** Sends a message that may get lost; answers, if any, go to the subject `reply`. */
  async publish(subject: string, payload: Uint8Array | string, reply?: string): Promise<void> {
    const { connection } = await this.#use();
    connection.publish(subject, payload, reply === undefined ? {} : { reply });
  }

  /** Receives messages of a subject, also after the connection was opened again; returns the function that stops it. */
  subscribe(subject: string, onMessage: (message: NatsMessage) => void): () => void {
    const subscription: Subscription = { subject, onMessage, unsubscribe: undefined };
    this.#subscriptions.add(subscription);
    this.#unsent.add(subscription);
    // Messages of subscriptions are hints: when there is no connection, the next request opens one.
    this.#use().catch(() => {});
    return () => {
      this.#subscriptions.delete(subscription);
      this.#unsent.delete(subscription);
      subscription.unsubscribe?.();
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const { unsubscribe } of this.#subscriptions) unsubscribe?.();
    this.#subscriptions.clear();
    this.#unsent.clear();
    await this.#drop();
  }

  async #use(): Promise<Opened> {
    if (this.#closing.signal.aborted) throw new Error("The state in NATS was closed.");
    this.#usedAt = Date.now();
    const opened = await (this.#opening ?? this.#openNew());
    if (opened.isAway) throw new Error("The connection to NATS is lost.");
    for (const subscription of this.#unsent) start(subscription, opened.connection);
    this.#unsent.clear();
    return opened;
  }

  #openNew(): Promise<Opened> {
    const opening = loadClient().then(async (module): Promise<Opened> => {
      return { connection: await this.#open(module, this.#closing.signal), module, isAway: false };
    });
    this.#opening = opening;
    opening.then(
      (opened) => {
        void this.#follow(opened, opening);
        if (this.#isOwn) this.#idleTimer = startBackgroundTimer(() => this.#closeIfIdle(), idleMs / 5);
      },
      () => this.#forget(opening),
    );
    return opening;
  }

  /** Takes note of lost and new connections until this one is closed. */
  async #follow(opened: Opened, opening: Promise<Opened>): Promise<void> {
    for await (const { type } of opened.connection.status()) {
      if (type === "reconnect") opened.isAway = false;
      if (type !== "disconnect" && type !== "staleConnection") continue;
      opened.isAway = true;
      this.#failAll();
    }
    this.#forget(opening);
  }

  #failAll(): void {
    for (const fail of this.#failing) fail(new Error("The connection to NATS is lost."));
    this.#failing.clear();
  }

  /** Lets the next use open a new connection. */
  #forget(opening: Promise<Opened>): void {
    if (this.#opening !== opening) return;
    this.#failAll();
    clearInterval(this.#idleTimer);
    this.#opening = undefined;
    for (const subscription of this.#subscriptions) this.#unsent.add(subscription);
  }

  #closeIfIdle(): void {
    const isIdle = this.#subscriptions.size === 0 && this.#failing.size === 0;
    if (isIdle && Date.now() - this.#usedAt >= idleMs) void this.#drop();
  }

  async #drop(): Promise<void> {
    const opening = this.#opening;
    if (opening === undefined) return;
    this.#forget(opening);
    const opened = await opening.catch(() => undefined);
    if (this.#isOwn) await opened?.connection.close();
  }
}

function start(subscription: Subscription, connection: NatsConnection): void {
  const { subject, onMessage } = subscription;
  const callback = (error: Error | null, message: NatsMessage) => {
    if (error === null) onMessage(message);
  };
  const started = connection.subscribe(subject, { callback });
  subscription.unsubscribe = () => {
    if (!connection.isClosed()) started.unsubscribe();
  };
}

function toOptions(module: NatsModule, given: Readonly<Record<string, string>>): { headers?: NatsHeaders } {
  const entries = Object.entries(given);
  if (entries.length === 0) return {};
  const headers = module.headers();
  for (const [name, value] of entries) headers.set(name, value);
  return { headers };
}

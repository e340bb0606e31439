import { createHash } from "node:crypto";
import { runLater } from "../../lib/async/timers.ts";
import { randomHex } from "../../lib/encoding/random-token.ts";
import { Listeners } from "../sql/listeners.ts";
import { fromStoredText } from "../sql/stored-text.ts";
import type { Connection } from "./database/connection.ts";
import type { PooledClient } from "./database/pg-interface.ts";

const firstRetryMs = 100;
const longestRetryMs = 5_000;
/** A connection that only listens does not notice that the other end is gone. */
const checkEveryMs = 10_000;
/** A payload has less than 8,000 bytes. */
const maxNamesOfPayload = 300;

/**
 * Notifies listeners of new events and of changed tasks: at once of those of this node, by NOTIFY of those of others.
 *
 * Notifications are collected and sent apart from the changes: a transaction that notifies waits for all others that do.
 */
export class Changes {
  readonly #connection: Connection;
  readonly #node = randomHex(6);
  readonly #streams = new Listeners<void>();
  readonly #tasks = new Listeners<string>();
  readonly #unsent = new Set<string>();
  #isSending = false;
  #client: PooledClient | undefined;
  #isListening = false;
  #retryMs = firstRetryMs;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wasLost = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  watchStream(name: string, listener: () => void): () => void {
    return this.#listen(this.#streams.add(toHash(name), listener));
  }

  onTask(listener: (id: string) => void): () => void {
    return this.#listen(this.#tasks.add("", listener));
  }

  appended(stream: string): void {
    const hash = toHash(stream);
    this.#streams.call(hash);
    this.#send(`s${hash}`);
  }

  /** `number` is that of the task's row. */
  taskChanged(id: string, number: string): void {
    this.#tasks.call("", id);
    this.#send(`t${number}`);
  }

  close(): void {
    this.#isListening = false;
    clearTimeout(this.#timer);
    this.#drop();
  }

  #listen(stop: () => void): () => void {
    if (!this.#isListening) {
      this.#isListening = true;
      void this.#connect();
    }
    return () => {
      stop();
      if (this.#streams.size + this.#tasks.size === 0) this.close();
    };
  }

  /** Listens on a connection of its own. Never rejects: what it misses, a reader finds when it looks. */
  async #connect(): Promise<void> {
    try {
      const client = await this.#connection.takeClient();
      if (!this.#isListening || this.#client) return client.release(true);
      this.#client = client;
      client.unref?.();
      client.on("error", () => this.#reconnect(client));
      client.on("end", () => this.#reconnect(client));
      client.on("notification", ({ payload }) => this.#receive(payload ?? ""));
      await client.query({ text: `LISTEN "${this.#channel}"` });
      this.#retryMs = firstRetryMs;
      this.#check(client);
      if (this.#wasLost) this.#streams.callAll();
      this.#wasLost = false;
    } catch {
      this.#reconnect(this.#client);
    }
  }

  #check(client: PooledClient): void {
    clearTimeout(this.#timer);
    this.#timer = runLater(() => {
      client.query({ text: "SELECT 1" }).then(
        () => this.#client === client && this.#check(client),
        () => this.#reconnect(client),
      );
    }, checkEveryMs);
  }

  #reconnect(client: PooledClient | undefined): void {
    if (client !== this.#client) return;
    this.#wasLost = true;
    this.#drop();
    if (!this.#isListening || this.#connection.isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = runLater(() => void this.#connect(), this.#retryMs * (0.5 + Math.random()));
    this.#retryMs = Math.min(this.#retryMs * 2, longestRetryMs);
  }

  /** Ends the connection that listens; a pool must not give it to others. */
  #drop(): void {
    const client = this.#client;
    this.#client = undefined;
    client?.release(true);
  }

  #receive(payload: string): void {
    const [node, ...changes] = payload.split(" ");
    if (node === this.#node) return;
    for (const change of changes) if (change.startsWith("s")) this.#streams.call(change.slice(1));
    const tasks = changes.filter((change) => change.startsWith("t")).map((change) => change.slice(1));
    if (tasks.length > 0 && this.#tasks.size > 0) void this.#tellOfTasks(tasks);
  }

  /** Notifications carry numbers and not ids, because every user of the database can receive them. */
  async #tellOfTasks(numbers: readonly string[]): Promise<void> {
    try {
      const sql = `SELECT id FROM "${this.#connection.schema}".tasks WHERE number = ANY ($1::bigint[])`;
      const rows = await this.#connection.query<{ id: string }>("changed-tasks", sql, [numbers]);
      for (const { id } of rows) this.#tasks.call("", fromStoredText(id));
    } catch {
      // A hint may be lost.
    }
  }

  #send(change: string): void {
    this.#unsent.add(change);
    if (this.#isSending) return;
    this.#isSending = true;
    void this.#flush();
  }

  async #flush(): Promise<void> {
    // All that happens in this turn goes out together.
    await Promise.resolve();
    while (this.#unsent.size > 0 && !this.#connection.isClosed) {
      const changes = [...this.#unsent];
      this.#unsent.clear();
      const payloads: string[] = [];
      while (changes.length > 0)
        payloads.push([this.#node, ...changes.splice(0, maxNamesOfPayload)].join(" "));
      try {
        const sql = "SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload";
        await this.#connection.query("notify", sql, [this.#channel, payloads]);
      } catch {
        // A hint may be lost.
      }
    }
    this.#isSending = false;
  }

  get #channel(): string {
    return `${this.#connection.schema} changes`;
  }
}

/** Names of streams may be secrets, and every user of the database can receive notifications. */
function toHash(name: string): string {
  return createHash("sha256").update(name).digest("base64url").slice(0, 16);
}

import { ConnectionClosedError, UsageError } from "../../../errors.ts";
import type { ConnectionListeners, Open, RedisConnection } from "./connection.ts";

const minRetryMs = 50;
const maxRetryMs = 2_000;

/** A connection that opens with its first use, and again after it was lost; while the server is away, it fails at once. */
export class Reopening<Connection extends RedisConnection> {
  readonly #open: Open<Connection>;
  readonly #listeners: ConnectionListeners;
  #current: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #failures = 0;
  #retryAt = 0;
  #lastError: unknown;
  #isClosed = false;

  constructor(open: Open<Connection>, listeners: ConnectionListeners) {
    this.#open = open;
    this.#listeners = listeners;
  }

  /** The connection, if it is open. */
  get current(): Connection | undefined {
    return this.#current;
  }

  /** The time until another attempt makes sense. */
  get retryInMs(): number {
    return Math.max(0, this.#retryAt - performance.now());
  }

  /** Opens the connection unless it is open; rejects at once shortly after an attempt that failed. */
  async open(): Promise<Connection> {
    if (this.#isClosed) throw new ConnectionClosedError("The Redis state is closed.");
    if (this.#current) return this.#current;
    // Another attempt would not help, and the reason must not get lost.
    if (this.#lastError instanceof UsageError) throw this.#lastError;
    if (!this.#opening && this.retryInMs > 0)
      throw new Error("Redis can't be reached; it is tried again soon.", { cause: this.#lastError });
    this.#opening ??= this.#attempt();
    return this.#opening;
  }

  close(): void {
    this.#isClosed = true;
    this.#current?.close();
    this.#current = undefined;
  }

  async #attempt(): Promise<Connection> {
    let isLost = false;
    const onClose = () => {
      if (isLost) return;
      isLost = true;
      if (this.#current !== opened) return;
      this.#current = undefined;
      this.#listeners.onClose();
    };
    let opened: Connection | undefined;
    try {
      opened = await this.#open({ ...this.#listeners, onClose });
      if (isLost) throw new Error("Redis closed the connection.");
      if (this.#isClosed) {
        opened.close();
        throw new ConnectionClosedError("The Redis state is closed.");
      }
      this.#failures = 0;
      this.#current = opened;
      return opened;
    } catch (error) {
      this.#onFailure(error);
      throw error;
    } finally {
      this.#opening = undefined;
    }
  }

  /** Waits longer after each failure, and not as long as other nodes do. */
  #onFailure(error: unknown): void {
    const longest = Math.min(maxRetryMs, minRetryMs * 2 ** Math.min(this.#failures++, 10));
    this.#retryAt = performance.now() + longest * (0.5 + Math.random() / 2);
    this.#lastError = error;
  }
}

import { ConnectionClosedError, UsageError } from "../../../errors.ts";
import { BackOff } from "../../../lib/async/back-off.ts";
import type { ConnectionListeners, Open, RedisConnection } from "./connection.ts";

/** A connection that opens with its first use, and again after it was lost; while the server is away, it fails at once. */
export class Reopening<Connection extends RedisConnection> {
  readonly #open: Open<Connection>;
  readonly #listeners: ConnectionListeners;
  readonly #pauses = new BackOff({ firstMs: 50, maxMs: 2_000 });
  #current: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #retryAt = 0;
  #lastError: unknown;
  readonly #closing = new AbortController();

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
      throw new Error(`Redis can't be reached, and is tried again soon: ${reasonOf(this.#lastError)}`, {
        cause: this.#lastError,
      });
    this.#opening ??= this.#attempt();
    return this.#opening;
  }

  close(): void {
    this.#closing.abort();
    this.#current?.close();
    this.#current = undefined;
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
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
      opened = await this.#open({ ...this.#listeners, onClose, signal: this.#closing.signal });
      if (isLost) throw new Error("Redis closed the connection.");
      if (this.#isClosed) {
        opened.close();
        throw new ConnectionClosedError("The Redis state is closed.");
      }
      this.#pauses.reset();
      this.#current = opened;
      return opened;
    } catch (error) {
      this.#onFailure(error);
      throw error;
    } finally {
      this.#opening = undefined;
    }
  }

  #onFailure(error: unknown): void {
    this.#retryAt = performance.now() + this.#pauses.fail();
    this.#lastError = error;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

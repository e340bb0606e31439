import type { Client } from "../../client/client.ts";
import type { Report } from "../../client/report.ts";
import { toCancelled } from "../../contract/cancelled-error.ts";
import { ServerHeldError, ServerUnavailableError } from "../../errors/host-errors.ts";
import { ConnectionClosedError, type McpError } from "../../errors.ts";
import type { BackOff } from "../../lib/async/back-off.ts";
import { SingleFlight } from "../../lib/async/single-flight.ts";
import { runLater } from "../../lib/async/timers.ts";

/** The state of one connection. */
export type ManagedClientState =
  | { readonly kind: "idle" }
  | { readonly kind: "starting" }
  | { readonly kind: "ready"; readonly client: Client }
  | { readonly kind: "held"; readonly error: Error }
  | { readonly kind: "failed"; readonly error: Error; readonly retryAt: number };

export interface ManagedClientParts {
  readonly server: string;
  readonly backOff: BackOff;
  /** Closes the connection after so much time without a call, in milliseconds. */
  readonly idleMs: number;
  /** The number of times that a lost connection is opened again without a call. */
  readonly maxRestarts: number;
  /** Opens a connection; the signal aborts when nobody waits for it. */
  open(signal: AbortSignal): Promise<Client>;
  /** Called with each new connection, before anybody uses it. */
  onOpen(client: Client): void;
  onState(state: ManagedClientState): void;
  readonly report: Report;
}

/**
 * The connection to one server on behalf of one caller: opened with the first use, closed when idle, opened again
 * with growing pauses after it was lost.
 */
export class ManagedClient {
  readonly #parts: ManagedClientParts;
  readonly #starting = new SingleFlight<Client>((reason) => toCancelled("The call", reason));
  #state: ManagedClientState = { kind: "idle" };
  #running = 0;
  #usedAt = 0;
  #openedAt = 0;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #restartTimer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  /** Gives up opening the connection. */
  #giveUp = new AbortController();
  /** Resolves when connections that were given up have ended. */
  #ending: Promise<unknown> = Promise.resolve();

  constructor(parts: ManagedClientParts) {
    this.#parts = parts;
  }

  get state(): ManagedClientState {
    return this.#state;
  }

  get running(): number {
    return this.#running;
  }

  /** Opens the connection if it is not open; rejects at once in a pause after a failure. */
  async client(signal?: AbortSignal): Promise<Client> {
    const state = this.#state;
    if (state.kind === "ready") return state.client;
    if (this.#isClosed) throw new ConnectionClosedError("The host is closed, or no longer has this server.");
    if (state.kind === "failed" && Date.now() < state.retryAt) throw this.#unavailable(state);
    const { signal: never } = new AbortController();
    return this.#starting.join(signal ?? never, (stop) => this.#start(stop));
  }

  /** Does something with the connection, which is not closed meanwhile. */
  async run<T>(signal: AbortSignal | undefined, work: (client: Client) => Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await work(this.#state.kind === "ready" ? this.#state.client : await this.client(signal));
    } finally {
      this.#running--;
      this.#usedAt = Date.now();
    }
  }

  /** Closes the connection, or gives up opening it. It opens again with the next use. */
  async stop(): Promise<void> {
    clearTimeout(this.#idleTimer);
    clearTimeout(this.#restartTimer);
    const state = this.#state;
    this.#parts.backOff.reset();
    this.#enter({ kind: "idle" });
    this.#giveUp.abort();
    this.#giveUp = new AbortController();
    if (state.kind === "ready") this.#end(state.client);
    await this.#ending;
  }

  /** Closes the connection for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.stop();
  }

  async #start(stop: AbortSignal): Promise<Client> {
    const { backOff } = this.#parts;
    clearTimeout(this.#restartTimer);
    const starting: ManagedClientState = { kind: "starting" };
    this.#enter(starting);
    try {
      const opening = this.#parts.open(AbortSignal.any([stop, this.#giveUp.signal]));
      this.#ending = Promise.allSettled([this.#ending, opening]);
      const client = await opening;
      // It was stopped meanwhile.
      if (this.#state !== starting) {
        this.#end(client);
        throw new ConnectionClosedError(`The server "${this.#parts.server}" was stopped.`);
      }
      this.#openedAt = Date.now();
      this.#usedAt = this.#openedAt;
      this.#parts.onOpen(client);
      this.#enter({ kind: "ready", client });
      void client.closed.then((reason) => this.#onLost(client, reason));
      this.#watchIdle();
      return client;
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      if (this.#state !== starting) throw error;
      if (stop.aborted) {
        this.#enter({ kind: "idle" });
        throw error;
      }
      if (error instanceof ServerHeldError) {
        this.#enter({ kind: "held", error });
        throw error;
      }
      const failed = { kind: "failed", error, retryAt: Date.now() + backOff.fail() } as const;
      this.#enter(failed);
      throw this.#unavailable(failed);
    }
  }

  #onLost(client: Client, reason: Error): void {
    if (this.#state.kind !== "ready" || this.#state.client !== client) return;
    const { backOff, maxRestarts } = this.#parts;
    clearTimeout(this.#idleTimer);
    const pause = backOff.fail(Date.now() - this.#openedAt);
    this.#enter({ kind: "failed", error: reason, retryAt: Date.now() + pause });
    if (backOff.failures > maxRestarts) return;
    this.#restartTimer = runLater(() => this.#restart(), pause);
  }

  #restart(): void {
    if (this.#isClosed || this.#state.kind !== "failed") return;
    const { backOff, maxRestarts } = this.#parts;
    this.client().catch((error: unknown) => {
      this.#parts.report(error as McpError);
      if (this.#state.kind !== "failed" || backOff.failures > maxRestarts) return;
      this.#restartTimer = runLater(() => this.#restart(), this.#state.retryAt - Date.now());
    });
  }

  #watchIdle(): void {
    const { idleMs } = this.#parts;
    if (!Number.isFinite(idleMs)) return;
    const check = () => {
      const left = this.#usedAt + idleMs - Date.now();
      if (this.#running > 0) this.#idleTimer = runLater(check, idleMs);
      else if (left > 0) this.#idleTimer = runLater(check, left);
      else void this.stop();
    };
    this.#idleTimer = runLater(check, idleMs);
  }

  #end(client: Client): void {
    const ending = client.close().catch(this.#parts.report);
    this.#ending = Promise.all([this.#ending, ending]);
  }

  #enter(state: ManagedClientState): void {
    this.#state = state;
    this.#parts.onState(state);
  }

  #unavailable({
    error,
    retryAt,
  }: {
    readonly error: Error;
    readonly retryAt: number;
  }): ServerUnavailableError {
    return new ServerUnavailableError(this.#parts.server, Math.max(0, retryAt - Date.now()), {
      cause: error,
    });
  }
}

import type { Client } from "../client/client.ts";
import { callSafely, type Report } from "../client/report.ts";
import type { Mount } from "../contract/mount/mount.ts";
import type { ServerEvent } from "../contract/server-event.ts";
import { RpcError } from "../errors.ts";
import { BackOff } from "../lib/async/back-off.ts";
import { runLater } from "../lib/async/timers.ts";
import type { ServerCapabilities } from "../protocol/model/identity.ts";

export interface MainConnectionParts {
  /** Connects again after the connection was lost; the signal gives up. */
  readonly reopen: (signal: AbortSignal) => Promise<Client>;
  readonly report: Report;
  /** The event without the sessions that their own connections notify of it. */
  readonly exceptOwn: (event: ServerEvent) => ServerEvent;
}

/**
 * The connection of a bridge over which changes come. When it is lost it is opened again, with growing pauses, and
 * follows the same resources.
 */
export class MainConnection {
  readonly #parts: MainConnectionParts;
  readonly #pauses = new BackOff();
  readonly #listeners = new Set<(event: ServerEvent) => void>();
  /** The resources whose updates are followed, also over the next connection. */
  readonly #watched = new Set<string>();
  #client: Client;
  #mount: Mount;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reopening: Promise<void> | undefined;
  readonly #closing = new AbortController();

  constructor(client: Client, parts: MainConnectionParts) {
    this.#parts = parts;
    this.#client = client;
    this.#mount = this.#follow(client);
  }

  /** The server as it was seen last. */
  get mount(): Mount {
    return this.#mount;
  }

  async watch(uri: string): Promise<void> {
    this.#watched.add(uri);
    try {
      await this.#mount.watch?.(uri);
    } catch (error) {
      if (error instanceof RpcError) this.#watched.delete(uri);
      throw error;
    }
  }

  unwatch(uri: string): void {
    if (this.#watched.delete(uri)) this.#mount.unwatch?.(uri);
  }

  /** Returns whether updates of a resource are followed. */
  watches(uri: string): boolean {
    return this.#watched.has(uri);
  }

  /** Reports changes until the returned function is called. */
  onChange(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#reopening;
    await this.#client.close();
  }

  #follow(client: Client): Mount {
    const mount = client["~mount"]();
    mount.onChange((event) => this.#emit(this.#parts.exceptOwn(event)));
    const openedAt = Date.now();
    void client.closed.then(() => this.#reopenLater(Date.now() - openedAt));
    return mount;
  }

  #reopenLater(workedMs?: number): void {
    if (this.#closing.signal.aborted) return;
    this.#timer = runLater(() => {
      this.#reopening = this.#reopen();
    }, this.#pauses.fail(workedMs));
  }

  /** Never rejects. */
  async #reopen(): Promise<void> {
    const { signal } = this.#closing;
    try {
      this.#client = await this.#parts.reopen(signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#parts.report(error as Error);
      return this.#reopenLater();
    }
    if (signal.aborted) return;
    this.#mount = this.#follow(this.#client);
    this.#renew();
  }

  /** Follows the same resources as before, and reports that everything may have changed meanwhile. */
  #renew(): void {
    for (const uri of this.#watched)
      this.#mount
        .watch?.(uri)
        .then(() => this.#emit({ kind: "resource", uri }))
        .catch(this.#parts.report);
    for (const kind of listsOf(this.#mount.capabilities)) this.#emit({ kind });
  }

  #emit(event: ServerEvent): void {
    for (const listener of this.#listeners) callSafely(this.#parts.report, () => listener(event));
  }
}

function listsOf(capabilities: ServerCapabilities) {
  return (["tools", "prompts", "resources"] as const).filter((kind) => capabilities[kind] !== undefined);
}

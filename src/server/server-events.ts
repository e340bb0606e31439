import { type LogEvent, type ServerEvent, toEventKey } from "../contract/server-event.ts";
import { nextTurn } from "../lib/async/yield-turn.ts";

type Listener = (event: ServerEvent) => void;

/** The number of listeners that are notified in one turn; each may write to a socket. */
const listenersPerTurn = 256;

/** Log messages that wait for one slow client; it misses older ones. */
const maxWaitingLogs = 100;

/** The events of one server, for all its connections. */
export class ServerEvents {
  readonly #listeners = new Set<Listener>();
  readonly #pending = new Set<"tools" | "prompts" | "resources">();
  /** The events that wait for the one before to reach every listener. An event that waits already is not added again. */
  readonly #waiting = new Map<string, ServerEvent>();
  #isNotifying = false;
  #logs = 0;

  on(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Notifies of a changed list, once for all changes within one turn. */
  listChanged(kind: "tools" | "prompts" | "resources"): void {
    if (this.#listeners.size === 0 || this.#pending.has(kind)) return;
    this.#pending.add(kind);
    queueMicrotask(() => {
      this.#pending.delete(kind);
      this.#notify({ kind });
    });
  }

  resourceUpdated(uri: string): void {
    this.#notify({ kind: "resource", uri });
  }

  elicitationCompleted(id: string): void {
    this.#notify({ kind: "elicitation", id });
  }

  logged(event: Omit<LogEvent, "kind" | "place">): void {
    this.#notify({ ...event, kind: "log", place: this.#logs++ % maxWaitingLogs });
  }

  /** Passes on an event of a mount. */
  forward(event: ServerEvent): void {
    this.#notify(event);
  }

  #notify(event: ServerEvent): void {
    if (this.#isNotifying) return void this.#waiting.set(toEventKey(event), event);
    if (this.#listeners.size > listenersPerTurn) return void this.#notifyInTurns(event);
    for (const listener of this.#listeners) listener(event);
  }

  /** Notifies many listeners of an event, and of those that wait for it, without keeping the process from other work. */
  async #notifyInTurns(first: ServerEvent): Promise<void> {
    this.#isNotifying = true;
    try {
      await this.#notifyAll(first);
      for (const [key, event] of this.#waiting) {
        this.#waiting.delete(key);
        await this.#notifyAll(event);
      }
    } finally {
      this.#isNotifying = false;
    }
  }

  async #notifyAll(event: ServerEvent): Promise<void> {
    let notified = 0;
    for (const listener of [...this.#listeners]) {
      if (!this.#listeners.has(listener)) continue;
      listener(event);
      if (++notified % listenersPerTurn === 0) await nextTurn();
    }
  }
}

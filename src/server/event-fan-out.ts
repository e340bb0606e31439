import { replaceEvent, type ServerEvent, toEventKey } from "../contract/server-event.ts";
import { nextTurn } from "../lib/async/yield-turn.ts";

interface Listener {
  onEvent(event: ServerEvent): void;
}

/** Events for many listeners, of whom so many are notified in one turn; each may write to a socket. */
export class EventFanOut {
  readonly #listeners: ReadonlySet<Listener>;
  readonly #perTurn: number;
  /** The events that wait for the one before to reach every listener. An event that waits already is not added again. */
  readonly #waiting = new Map<string, ServerEvent>();
  #notifying: Promise<void> | undefined;

  constructor(listeners: ReadonlySet<Listener>, perTurn: number) {
    this.#listeners = listeners;
    this.#perTurn = perTurn;
  }

  /** Notifies of an event, after those that wait; settles when no more wait. */
  notify(event: ServerEvent): Promise<void> {
    const key = toEventKey(event);
    this.#waiting.set(key, replaceEvent(this.#waiting.get(key), event));
    this.#notifying ??= this.#notifyOfAll();
    return this.#notifying;
  }

  async #notifyOfAll(): Promise<void> {
    try {
      // The iterator of a Map also visits entries that are added meanwhile.
      for (const [key, event] of this.#waiting) {
        this.#waiting.delete(key);
        await this.#notifyAll(event);
      }
    } finally {
      this.#notifying = undefined;
    }
  }

  async #notifyAll(event: ServerEvent): Promise<void> {
    let notified = 0;
    for (const listener of [...this.#listeners]) {
      if (!this.#listeners.has(listener)) continue;
      listener.onEvent(event);
      if (++notified % this.#perTurn === 0) await nextTurn();
    }
  }
}

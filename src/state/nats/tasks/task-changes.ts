import { randomHex } from "../../../lib/encoding/random-token.ts";
import type { NatsStore } from "../jetstream/store.ts";

/** Hints that tasks have changed: to listeners of this process at once, to others over NATS. */
export class TaskChanges {
  readonly #store: NatsStore;
  readonly #subject: string;
  readonly #node = randomHex(8);
  readonly #listeners = new Set<(id: string) => void>();
  #stop: (() => void) | undefined;

  constructor(store: NatsStore) {
    this.#store = store;
    this.#subject = store.hintSubject("task", "");
  }

  notify(id: string): void {
    this.#notifyListeners(id);
    // A hint that gets lost is made up for by the next look.
    this.#store.jetstream.connection.publish(this.#subject, `${this.#node} ${id}`).catch(() => {});
  }

  listen(listener: (id: string) => void): () => void {
    const own = (id: string) => listener(id);
    this.#listeners.add(own);
    this.#stop ??= this.#store.jetstream.connection.subscribe(this.#subject, ({ data }) =>
      this.#receive(data),
    );
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  }

  #receive(data: Uint8Array): void {
    const text = new TextDecoder().decode(data);
    const at = text.indexOf(" ");
    if (text.slice(0, at) !== this.#node) this.#notifyListeners(text.slice(at + 1));
  }

  #notifyListeners(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }
}

import type { ServerEvent } from "../contract/server-event.ts";

type Listener = (event: ServerEvent) => void;

/** The events of one server, for all its connections. */
export class ServerEvents {
  readonly #listeners = new Set<Listener>();
  readonly #pending = new Set<"tools" | "prompts" | "resources">();

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

  #notify(event: ServerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

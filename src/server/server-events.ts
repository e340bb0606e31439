import type { ServerEvent } from "../contract/server-event.ts";

type Listener = (news: ServerEvent) => void;

/** Tells listeners what changed in a server's catalog. */
export class ServerEvents {
  readonly #listeners = new Set<Listener>();
  readonly #pending = new Set<"tools" | "prompts" | "resources">();

  on(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Changes of a list within one turn are told once. */
  listChanged(kind: "tools" | "prompts" | "resources"): void {
    if (this.#listeners.size === 0 || this.#pending.has(kind)) return;
    this.#pending.add(kind);
    queueMicrotask(() => {
      this.#pending.delete(kind);
      this.#tell({ kind });
    });
  }

  resourceUpdated(uri: string): void {
    this.#tell({ kind: "resource", uri });
  }

  elicitationCompleted(id: string): void {
    this.#tell({ kind: "elicitation", id });
  }

  #tell(news: ServerEvent): void {
    for (const listener of this.#listeners) listener(news);
  }
}

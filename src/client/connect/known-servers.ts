import type { SupportedRevisions } from "../../protocol/negotiate.ts";
import type { ServerHint, ServerHintCache } from "../options.ts";

const maxKept = 1_000;
const kept = new Map<string, ServerHint>();

const processWide: ServerHintCache = {
  get: (server) => kept.get(server),
  delete: (server) => kept.delete(server),
  set(server, verdict) {
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= maxKept) kept.delete(oldest);
    kept.set(server, verdict);
  },
};

/** What is remembered of one server, as far as it has an address to remember it by. */
export class KnownServer {
  readonly #cache: ServerHintCache;
  readonly #server: string | undefined;

  /** What was agreed on with fewer revisions to choose from says nothing about more. */
  constructor(
    address: string | undefined,
    supported: SupportedRevisions,
    cache: ServerHintCache = processWide,
  ) {
    this.#cache = cache;
    this.#server = address && `${address} ${supported.names.join(",")}`;
  }

  get(): ServerHint | undefined {
    return this.#server === undefined ? undefined : this.#cache.get(this.#server);
  }

  keep(verdict: ServerHint): void {
    if (this.#server !== undefined) this.#cache.set(this.#server, verdict);
  }

  drop(): void {
    if (this.#server !== undefined) this.#cache.delete(this.#server);
  }
}

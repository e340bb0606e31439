import { BoundedMap } from "../../lib/bounded/bounded-map.ts";
import type { SupportedRevisions } from "../../protocol/negotiate.ts";

/** A finding about a server; JSON, to be kept and given to the next `connect`. */
export interface ServerHint {
  readonly revision: string;
  /** The way of speaking that the transport found out, where it has several. */
  readonly shape?: string;
}

/** The place where hints are kept between connections; a `Map` is one. */
export interface ServerHintCache {
  get(server: string): ServerHint | undefined;
  set(server: string, hint: ServerHint): unknown;
  delete(server: string): unknown;
}

const maxKept = 1_000;
const processWide: ServerHintCache = /* @__PURE__ */ new BoundedMap<string, ServerHint>(maxKept);

/** The cached hint about one server, if the server has an address. */
export class KnownServer {
  readonly #cache: ServerHintCache;
  readonly #server: string | undefined;

  /** The revisions are part of the key: a hint found with fewer of them does not hold for more. */
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

  keep(hint: ServerHint): void {
    if (this.#server !== undefined) this.#cache.set(this.#server, hint);
  }

  drop(): void {
    if (this.#server !== undefined) this.#cache.delete(this.#server);
  }
}

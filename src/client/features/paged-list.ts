import type { Change } from "../../contract/server-event.ts";
import type { InvalidResponseError } from "../../errors.ts";
import type { Check } from "../../protocol/check/check.ts";
import { readPages } from "../lists/list-pages.ts";
import type { CallOptions } from "../requests.ts";
import type { FeatureParts } from "./feature-parts.ts";
import { ResultCache, ttlOf } from "./result-cache.ts";

export interface ListOptions extends CallOptions {
  /** Skips the cache. */
  readonly fresh?: boolean;
}

/** All items of a list, page by page as they are needed, or at once by `all()`. */
export interface Listing<Item> extends AsyncIterable<Item> {
  all(): Promise<Item[]>;
}

/** Observes a list while it is read. */
export interface ListObserver<Item> {
  /** Called with each page as it arrives; gives the items to keep. */
  onPage(items: readonly Item[]): Promise<readonly Item[]>;
  /** Called after the last page; a reader may stop before. */
  onEnd(): void;
}

export interface ListSource<Item> {
  readonly method: string;
  /** The member of the result that has the items. */
  readonly key: string;
  readonly check: Check;
  /** False when the server did not promise the method. Default true. */
  readonly isDeclared?: boolean;
  /** The kind of change that makes the list stale. */
  readonly changedBy?: Change["kind"];
  /** Called before the list is requested: later changes may be missing in it. */
  readonly onStart?: () => ListObserver<Item>;
}

const cacheKey = "";

/** One list of the server, over all its pages. */
export class PagedList<Item> {
  readonly #parts: FeatureParts;
  readonly #source: ListSource<Item>;
  readonly #faults = new Set<string>();
  readonly #cache: ResultCache<readonly Item[]> = new ResultCache(1);

  constructor(parts: FeatureParts, source: ListSource<Item>) {
    this.#parts = parts;
    this.#source = source;
    parts.notifications.listenFirst(({ kind }) => kind === source.changedBy && this.#cache.clear());
  }

  /** Empties the cache: the next listing asks the server. */
  forget(): void {
    this.#cache.clear();
  }

  list(options: ListOptions = {}): Listing<Item> {
    const pages = () => this.#pages(options);
    return {
      async *[Symbol.asyncIterator]() {
        for await (const page of pages()) yield* page;
      },
      async all() {
        const items: Item[] = [];
        for await (const page of pages()) items.push(...page);
        return items;
      },
    };
  }

  async *#pages({ fresh, ...options }: ListOptions): AsyncGenerator<readonly Item[]> {
    // Metadata may change the answer, so only requests without it share a cache entry.
    const isCacheable = this.#parts.requests.revision.cacheHints && options.meta === undefined;
    const cached = isCacheable && !fresh ? this.#cache.get(cacheKey) : undefined;
    if (cached) return yield cached;

    const store = this.#cache.begin();
    const items: Item[] = [];
    let until = Number.POSITIVE_INFINITY;
    for await (const { page, ttlMs } of this.#fetch(options)) {
      until = Math.min(until, performance.now() + ttlMs);
      items.push(...page);
      yield page;
    }
    if (isCacheable) store(cacheKey, items, { ttlMs: until - performance.now() });
  }

  async *#fetch(options: CallOptions): AsyncGenerator<{ page: readonly Item[]; ttlMs: number }> {
    const { requests, validItems } = this.#parts;
    const { method, key, check, isDeclared, onStart } = this.#source;
    const reading = onStart?.();
    const pages = readPages({
      method,
      key,
      isDeclared,
      timeout: { ...requests.timeout, ...options.timeout },
      send: (params, limits) => requests.send(method, params, { ...options, ...limits }),
      onFault: (fault) => this.#passOver(fault),
    });
    for await (const { result, isLast } of pages) {
      const page = validItems.pick<Item>(result[key], check, `${method}: ${key}`);
      const kept = reading ? await reading.onPage(page) : page;
      if (isLast) reading?.onEnd();
      yield { page: kept, ttlMs: ttlOf(result) };
    }
  }

  /** Passes over a fault of the server; one that comes with every listing is reported once. */
  #passOver(fault: InvalidResponseError): void {
    if (!this.#faults.has(fault.message)) this.#parts.validItems.passOver(fault);
    this.#faults.add(fault.message);
  }
}

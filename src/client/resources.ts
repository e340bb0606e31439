import { checkResource, checkResourceContents, checkResourceTemplate } from "../protocol/item-check.ts";
import type { ReadResourceResult, Resource, ResourceTemplate } from "../protocol/model/resource.ts";
import { Cache, ttlOf } from "./cache.ts";
import type { Exchange } from "./exchange.ts";
import { List, type Listing, type ListOptions } from "./lists.ts";

/** Whether to ask the server even if what it said before is still good. */
export type ReadOptions = ListOptions;

// Contents are large; a client that reads more than this within their lifetimes asks again.
const maxCachedReads = 100;

/** The resources of one server. */
export class ClientResources {
  readonly #exchange: Exchange;
  readonly #list: List<Resource>;
  readonly #templates: List<ResourceTemplate>;
  readonly #reads: Cache<ReadResourceResult> = new Cache(maxCachedReads);

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#list = new List(exchange, {
      method: "resources/list",
      key: "resources",
      check: checkResource,
      changedBy: "resources",
    });
    this.#templates = new List(exchange, {
      method: "resources/templates/list",
      key: "resourceTemplates",
      check: checkResourceTemplate,
      changedBy: "resources",
    });
    exchange.notifications.listenFirst(
      (change) => change.kind === "resource" && this.#reads.drop(change.uri),
    );
  }

  list(options?: ListOptions): Listing<Resource> {
    return this.#list.list(options);
  }

  templates(options?: ListOptions): Listing<ResourceTemplate> {
    return this.#templates.list(options);
  }

  async read(uri: string, { fresh, ...options }: ReadOptions = {}): Promise<ReadResourceResult> {
    const { requests, rounds, salvage } = this.#exchange;
    const isCacheable = requests.revision.cacheHints && options.meta === undefined;
    const cached = isCacheable && !fresh ? this.#reads.get(uri) : undefined;
    if (cached) return cached;

    const store = this.#reads.begin();
    const settled = await rounds.send("resources/read", { uri }, options);
    const contents = salvage.items(
      settled.result.contents,
      checkResourceContents,
      "resources/read: contents",
    );
    const result = { ...settled.result, contents } as ReadResourceResult;
    // What came of the user's answers is good for this once.
    if (isCacheable && settled.rounds === 0) store(uri, result, ttlOf(result));
    return result;
  }
}

import {
  checkResource,
  checkResourceContents,
  checkResourceTemplate,
} from "../../protocol/check/model-check.ts";
import type { ReceivedResource, Resource, ResourceTemplate } from "../../protocol/model/resource.ts";
import type { FeatureParts } from "./feature-parts.ts";
import { type Listing, type ListOptions, PagedList } from "./paged-list.ts";
import type { ReadOptions } from "./resource-types.ts";
import { ResultCache, ttlOf } from "./result-cache.ts";

// Contents are large; a client that reads more than this within their lifetimes asks again.
const maxCachedReads = 100;

/** The resources of one server: what it lists, and their contents. */
export class UntypedResources {
  readonly #parts: FeatureParts;
  readonly #list: PagedList<Resource>;
  readonly #templates: PagedList<ResourceTemplate>;
  readonly #reads: ResultCache<ReceivedResource> = new ResultCache(maxCachedReads);

  constructor(parts: FeatureParts) {
    this.#parts = parts;
    this.#list = new PagedList(parts, {
      method: "resources/list",
      key: "resources",
      check: checkResource,
      changedBy: "resources",
    });
    this.#templates = new PagedList(parts, {
      method: "resources/templates/list",
      key: "resourceTemplates",
      check: checkResourceTemplate,
      changedBy: "resources",
    });
    parts.notifications.listenFirst((change) => change.kind === "resource" && this.#reads.drop(change.uri));
  }

  list(options?: ListOptions): Listing<Resource> {
    return this.#list.list(options);
  }

  templates(options?: ListOptions): Listing<ResourceTemplate> {
    return this.#templates.list(options);
  }

  /** Reads a resource, or with `variables` the one that a template names. */
  async read(given: string, { variables, ...options }: ReadOptions = {}): Promise<ReceivedResource> {
    const read = (uri: string) => this.#read(uri, options);
    if (typeof given === "string" && !variables && !given.includes("{")) return read(given);
    const { readGiven } = await import("../first-argument.ts");
    return readGiven(given, { ...options, variables }, read, this.#templates);
  }

  async #read(uri: string, { fresh, ...options }: ListOptions): Promise<ReceivedResource> {
    const { requests, rounds, validItems } = this.#parts;
    const isCacheable = requests.revision.cacheHints && options.meta === undefined;
    const cached = isCacheable && !fresh ? this.#reads.get(uri) : undefined;
    // The caller may change its own.
    if (cached) return { ...cached, contents: [...cached.contents] };

    const store = this.#reads.begin();
    let size = 0;
    const onSize = (chars: number) => {
      size = chars;
    };
    const call = requests.toCall("resources/read", { uri }, { ...options, onSize });
    const settled = await rounds.send(call);
    const contents = validItems.pick(
      settled.result.contents,
      checkResourceContents,
      "resources/read: contents",
    );
    const result = { ...settled.result, contents } as ReceivedResource;
    // A result that depends on the user's answers is not cached.
    if (isCacheable && settled.rounds === 0) store(uri, result, { ttlMs: ttlOf(result), size });
    return result;
  }
}

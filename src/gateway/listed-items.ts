import type { Client } from "../client/client.ts";
import type { JsonObject } from "../lib/json.ts";
import { hasCapability } from "../protocol/model/identity.ts";
import { KnownList } from "./known-list.ts";

/** The lists that a gateway reads itself; the host reads the tools. */
export type ItemList = "prompts" | "resources" | "resourceTemplates";

const itemLists: readonly ItemList[] = ["prompts", "resources", "resourceTemplates"];

/** Items of one list of a server that are read, and characters of each. */
const maxItems = 1_000;
const maxItemChars = 65_536;

export interface ListedItemsParts {
  /** The connection to the server, which may take its time. */
  connect(): Promise<Client>;
  /** Called when a list that was waited for in vain is there. */
  onLate(kind: "prompts" | "resources"): void;
  onFailure(error: Error): void;
}

/** The lists of one server, kept until they change. */
export class ListedItems {
  readonly #parts: ListedItemsParts;
  readonly #lists: ReadonlyMap<ItemList, KnownList<JsonObject>>;
  #client: Client | undefined;

  constructor(parts: ListedItemsParts) {
    this.#parts = parts;
    this.#lists = new Map(itemLists.map((list) => [list, this.#create(list)]));
  }

  /** The items, as far as the server lists them in time: one that is slow is waited for once. */
  async items(list: ItemList, waitMs: number): Promise<readonly JsonObject[]> {
    return this.#lists.get(list)?.items(waitMs) ?? [];
  }

  /** Takes note that lists have changed; all of them, unless a kind is given. */
  forget(kind?: "prompts" | "resources"): void {
    for (const [list, known] of this.#lists) if (kind === undefined || kindOf(list) === kind) known.forget();
  }

  #create(list: ItemList): KnownList<JsonObject> {
    return new KnownList({
      read: (onAsk) => this.#read(list, onAsk),
      isAnnounced: () => this.#announces(list),
      onLate: () => this.#parts.onLate(kindOf(list)),
      onFailure: this.#parts.onFailure,
    });
  }

  #announces(list: ItemList): boolean {
    return this.#client?.server.capabilities[kindOf(list)]?.listChanged === true;
  }

  async #read(list: ItemList, onAsk: () => void): Promise<readonly JsonObject[]> {
    this.#client = await this.#parts.connect();
    onAsk();
    const { prompts, resources, server } = this.#client;
    if (!hasCapability(server.capabilities, kindOf(list))) return [];
    const listings = {
      prompts: () => prompts.list(),
      resources: () => resources.list(),
      resourceTemplates: () => resources.templates(),
    };
    const items: JsonObject[] = [];
    for await (const item of listings[list]()) {
      if (JSON.stringify(item).length <= maxItemChars) items.push({ ...item });
      if (items.length >= maxItems) break;
    }
    return items;
  }
}

function kindOf(list: ItemList): "prompts" | "resources" {
  return list === "prompts" ? list : "resources";
}

import type { Client } from "../client/client.ts";
import { waitAtMost } from "../lib/async/wait-at-most.ts";
import type { JsonObject } from "../lib/json.ts";
import { hasCapability } from "../protocol/model/identity.ts";

/** The lists that a gateway reads itself; the host reads the tools. */
export type ItemList = "prompts" | "resources" | "resourceTemplates";

const itemLists: readonly ItemList[] = ["prompts", "resources", "resourceTemplates"];

/** Items of one list of a server that are read, and characters of each. */
const maxItems = 1_000;
const maxItemChars = 65_536;
/** Servers that report no changes are asked again after this time. */
const staleMs = 300_000;

interface Reading {
  readonly items: Promise<readonly JsonObject[]>;
  readonly startedAt: number;
  /** Somebody has waited for it in vain. */
  isLate: boolean;
}

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
  readonly #readings = new Map<ItemList, Reading>();
  #client: Client | undefined;

  constructor(parts: ListedItemsParts) {
    this.#parts = parts;
  }

  /** The items, as far as the server lists them in time: one that is slow is waited for once. */
  items(list: ItemList, waitMs: number): Promise<readonly JsonObject[]> {
    const reading = this.#current(list);
    return waitAtMost(reading.isLate ? 0 : waitMs, reading.items, () => {
      reading.isLate = true;
      return [];
    });
  }

  /** Takes note that lists have changed; all of them, unless a kind is given. */
  forget(kind?: "prompts" | "resources"): void {
    for (const list of itemLists)
      if (kind === undefined || kindOf(list) === kind) this.#readings.delete(list);
  }

  #current(list: ItemList): Reading {
    const known = this.#readings.get(list);
    if (known && (this.#announces(list) || Date.now() - known.startedAt < staleMs)) return known;
    const items = this.#read(list).catch((error: Error) => {
      if (this.#readings.get(list) === reading) this.#readings.delete(list);
      this.#parts.onFailure(error);
      return [];
    });
    const reading: Reading = { items, startedAt: Date.now(), isLate: false };
    this.#readings.set(list, reading);
    void items.then(() => reading.isLate && this.#parts.onLate(kindOf(list)));
    return reading;
  }

  #announces(list: ItemList): boolean {
    return this.#client?.server.capabilities[kindOf(list)]?.listChanged === true;
  }

  async #read(list: ItemList): Promise<readonly JsonObject[]> {
    this.#client = await this.#parts.connect();
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

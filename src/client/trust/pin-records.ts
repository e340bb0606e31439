import { isObject } from "../../lib/json.ts";
import { type NameOwner, NameOwners } from "./name-owners.ts";
import { malformedRecord, type TrustStore, trustKey } from "./trust-store.ts";

export interface Pin {
  readonly sha256: string;
  /** Left out where it is too long to keep. */
  readonly definition?: string;
}

/** The pins of one server's tools, by name. */
export type Pins = Map<string, Pin>;

const namesKey = trustKey("tool names");

/** The pins of one server and the names of all, in a store. */
export class PinRecords {
  readonly #store: TrustStore;
  readonly #pinsKey: string;

  constructor(store: TrustStore, serverId: string) {
    this.#store = store;
    this.#pinsKey = trustKey("pins", serverId);
  }

  async readPins(): Promise<Pins> {
    return this.#toPins(await this.#store.get(this.#pinsKey));
  }

  async readOwners(): Promise<NameOwners> {
    return toOwners(await this.#store.get(namesKey));
  }

  /** Changes the pins in one step; `change` returns whether it did, and may run again with what others wrote. */
  async updatePins(change: (pins: Pins) => boolean): Promise<void> {
    await this.#store.update(this.#pinsKey, (kept) => {
      const pins = this.#toPins(kept);
      return change(pins) ? { tools: [...pins] } : undefined;
    });
  }

  /** Changes the owners in one step; `change` returns whether it did, and may run again with what others wrote. */
  async updateOwners(change: (owners: NameOwners) => boolean): Promise<void> {
    await this.#store.update(namesKey, (kept) => {
      const owners = toOwners(kept);
      return change(owners) ? { names: owners.entries() } : undefined;
    });
  }

  #toPins(kept: unknown): Pins {
    const pins = toMap(kept, "tools", isPin);
    if (pins) return pins;
    throw malformedRecord(this.#pinsKey, "the pinned tools of the server are");
  }
}

function toOwners(kept: unknown): NameOwners {
  const owners = toMap(kept, "names", isOwnerList);
  if (owners) return new NameOwners(owners);
  throw malformedRecord(namesKey, "the owners of tool names are");
}

/** The entries of a record, none where nothing is kept; undefined for a malformed record. */
function toMap<Value>(
  kept: unknown,
  member: string,
  isValue: (value: unknown) => value is Value,
): Map<string, Value> | undefined {
  if (kept === undefined) return new Map();
  const entries: unknown = isObject(kept) ? kept[member] : undefined;
  if (!Array.isArray(entries)) return undefined;
  const isEntry = (entry: unknown): entry is [string, Value] =>
    Array.isArray(entry) && typeof entry[0] === "string" && isValue(entry[1]);
  return entries.every(isEntry) ? new Map(entries) : undefined;
}

function isPin(value: unknown): value is Pin {
  if (!isObject(value) || typeof value.sha256 !== "string") return false;
  return value.definition === undefined || typeof value.definition === "string";
}

function isOwnerList(value: unknown): value is readonly NameOwner[] {
  return Array.isArray(value) && value.every(isOwner);
}

function isOwner(value: unknown): value is NameOwner {
  return isObject(value) && typeof value.serverId === "string" && typeof value.name === "string";
}

import { isObject } from "../../lib/json.ts";
import { toSkeleton } from "./confusables.ts";
import { type TrustStore, trustKey } from "./trust-store.ts";

export interface Pin {
  readonly sha256: string;
  /** Left out where it is too long to keep. */
  readonly definition?: string;
}

/** A tool that has a name, or had it first. */
export interface NameOwner {
  readonly serverId: string;
  readonly name: string;
}

/** The pins of one server's tools, by name. */
export type Pins = Map<string, Pin>;

/** The owners of the names of all servers' tools, by what a name looks like. */
export class NameOwners {
  readonly #owners: Map<string, readonly NameOwner[]>;

  constructor(owners: Map<string, readonly NameOwner[]>) {
    this.#owners = owners;
  }

  /** The tools that have this name, or one that looks the same. */
  of(name: string): readonly NameOwner[] {
    return this.#owners.get(toSkeleton(name)) ?? [];
  }

  has({ serverId, name }: NameOwner): boolean {
    return this.of(name).some((owner) => owner.serverId === serverId && owner.name === name);
  }

  /** Returns whether the owner is new. */
  add(owner: NameOwner): boolean {
    if (this.has(owner)) return false;
    this.#owners.set(toSkeleton(owner.name), [...this.of(owner.name), owner]);
    return true;
  }

  entries(): readonly [string, readonly NameOwner[]][] {
    return [...this.#owners];
  }
}

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
    return toPins(await this.#store.get(this.#pinsKey));
  }

  async readOwners(): Promise<NameOwners> {
    return toOwners(await this.#store.get(namesKey));
  }

  /** Changes the pins in one step; `change` returns whether it did, and may run again with what others wrote. */
  async updatePins(change: (pins: Pins) => boolean): Promise<void> {
    await this.#store.update(this.#pinsKey, (kept) => {
      const pins = toPins(kept);
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
}

function toPins(kept: unknown): Pins {
  return toMap<Pin>(kept, "tools");
}

function toOwners(kept: unknown): NameOwners {
  return new NameOwners(toMap<readonly NameOwner[]>(kept, "names"));
}

function toMap<Value>(kept: unknown, member: string): Map<string, Value> {
  const entries: unknown = isObject(kept) ? kept[member] : undefined;
  return new Map(Array.isArray(entries) ? entries : []);
}

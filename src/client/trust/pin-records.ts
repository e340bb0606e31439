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

const namesKey = trustKey("tool names");

/** What is remembered of one server's tools, and of the names of all: read once, written once. */
export class PinRecords {
  readonly #store: TrustStore;
  readonly #serverId: string;
  readonly #pins: Map<string, Pin>;
  readonly #owners: Map<string, readonly NameOwner[]>;
  #hasNewPins = false;
  #hasNewOwners = false;

  private constructor(
    store: TrustStore,
    serverId: string,
    pins: Map<string, Pin>,
    owners: Map<string, readonly NameOwner[]>,
  ) {
    this.#store = store;
    this.#serverId = serverId;
    this.#pins = pins;
    this.#owners = owners;
  }

  static async read(store: TrustStore, serverId: string): Promise<PinRecords> {
    const pins = await store.get(pinsKey(serverId));
    const names = await store.get(namesKey);
    return new PinRecords(
      store,
      serverId,
      toMap<Pin>(pins, "tools"),
      toMap<readonly NameOwner[]>(names, "names"),
    );
  }

  get size(): number {
    return this.#pins.size;
  }

  find(name: string): Pin | undefined {
    return this.#pins.get(name);
  }

  pin(name: string, pin: Pin): void {
    this.#pins.set(name, pin);
    this.#hasNewPins = true;
    this.addOwner(name);
  }

  /** Who has this name, or one that looks the same. */
  owners(name: string): readonly NameOwner[] {
    return this.#owners.get(toSkeleton(name)) ?? [];
  }

  /** Notes that the server has a tool of this name. */
  addOwner(name: string): void {
    const owners = this.owners(name);
    if (owners.some((owner) => owner.serverId === this.#serverId && owner.name === name)) return;
    this.#owners.set(toSkeleton(name), [...owners, { serverId: this.#serverId, name }]);
    this.#hasNewOwners = true;
  }

  async save(): Promise<void> {
    if (this.#hasNewPins) await this.#store.set(pinsKey(this.#serverId), { tools: [...this.#pins] });
    if (this.#hasNewOwners) await this.#store.set(namesKey, { names: [...this.#owners] });
  }
}

function pinsKey(serverId: string): string {
  return trustKey("pins", serverId);
}

function toMap<Value>(kept: unknown, member: string): Map<string, Value> {
  const entries: unknown = isObject(kept) ? kept[member] : undefined;
  return new Map(Array.isArray(entries) ? entries : []);
}

import { toSkeleton } from "./confusables.ts";

/** A tool that has a name, or had it first. */
export interface NameOwner {
  readonly serverId: string;
  readonly name: string;
}

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

import { RegistrationError } from "../errors.ts";

/** The handle of a registered item, to remove it or to disable it for a while. */
export interface Registration {
  enable(): void;
  /** Hides the item: callers are answered as if it did not exist. */
  disable(): void;
  remove(): void;
}

export interface RegistryEntry<T> {
  readonly key: string;
  readonly item: T;
  /** Grows with each registration in a server, so that cursors survive later changes. */
  readonly position: number;
  readonly enabled: boolean;
}

/** The items of one kind, in the order of their registration. */
export class Registry<T> {
  readonly #kind: string;
  readonly #nextPosition: () => number;
  readonly #onChange: () => void;
  readonly #entries = new Map<string, RegistryEntry<T>>();

  constructor(kind: string, nextPosition: () => number, onChange: () => void) {
    this.#kind = kind;
    this.#nextPosition = nextPosition;
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#entries.size;
  }

  add(key: string, item: T): Registration {
    if (this.#entries.has(key)) {
      throw new RegistrationError(`The ${this.#kind} "${key}" is already registered; remove it first.`);
    }
    const position = this.#nextPosition();
    this.#entries.set(key, { key, item, position, enabled: true });
    this.#onChange();
    return {
      enable: () => this.#set(key, position, true),
      disable: () => this.#set(key, position, false),
      remove: () => this.#remove(key, position),
    };
  }

  /** The item under a key, unless it is disabled. */
  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    return entry?.enabled ? entry.item : undefined;
  }

  enabled(): RegistryEntry<T>[] {
    return [...this.#entries.values()].filter((entry) => entry.enabled);
  }

  #set(key: string, position: number, enabled: boolean): void {
    const entry = this.#entries.get(key);
    if (entry?.position !== position || entry.enabled === enabled) return;
    this.#entries.set(key, { ...entry, enabled });
    this.#onChange();
  }

  #remove(key: string, position: number): void {
    if (this.#entries.get(key)?.position !== position) return;
    this.#entries.delete(key);
    this.#onChange();
  }
}

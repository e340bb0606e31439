import { RegistrationError } from "../../errors.ts";
import { isPromise, type MaybePromise } from "../../lib/async/maybe-promise.ts";

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

interface RegistryHooks {
  readonly nextPosition: () => number;
  /** Receives a promise for each item that is still being compiled; it settles when the item can be found. */
  readonly onPending: (item: Promise<unknown>) => void;
  /** Throws if a key that is free here is taken elsewhere. */
  readonly assertFree?: (key: string) => void;
}

/** The items of one kind, in the order of their registration. */
export class Registry<T> {
  readonly #kind: string;
  readonly #hooks: RegistryHooks;
  readonly #onChange: () => void;
  /** An item that is still being compiled has its key and its position, but is not found. */
  readonly #entries = new Map<string, RegistryEntry<T | undefined>>();
  #enabled: readonly RegistryEntry<T>[] | undefined;

  constructor(kind: string, hooks: RegistryHooks, onChange: () => void) {
    this.#kind = kind;
    this.#hooks = hooks;
    this.#onChange = () => {
      this.#enabled = undefined;
      onChange();
    };
  }

  get size(): number {
    return this.#entries.size;
  }

  get keys(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Returns whether a key is taken, by an item that is disabled too. */
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  add(key: string, given: MaybePromise<T>): Registration {
    if (this.#entries.has(key)) {
      throw new RegistrationError(`The ${this.#kind} "${key}" is already registered; remove it first.`);
    }
    this.#hooks.assertFree?.(key);
    const position = this.#hooks.nextPosition();
    const item = isPromise(given) ? undefined : given;
    this.#entries.set(key, { key, item, position, enabled: true });
    if (isPromise(given)) this.#hooks.onPending(this.#complete(key, position, given));
    else this.#onChange();
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

  /** The items that are not disabled, by position. */
  enabled(): readonly RegistryEntry<T>[] {
    this.#enabled ??= [...this.#entries.values()].filter(isFound);
    return this.#enabled;
  }

  async #complete(key: string, position: number, pending: Promise<T>): Promise<void> {
    try {
      this.#update(key, position, { item: await pending });
    } catch (error) {
      this.#remove(key, position);
      throw error;
    }
  }

  #set(key: string, position: number, enabled: boolean): void {
    if (this.#entries.get(key)?.enabled !== enabled) this.#update(key, position, { enabled });
  }

  #update(key: string, position: number, change: Partial<RegistryEntry<T>>): void {
    const entry = this.#entries.get(key);
    if (entry?.position !== position) return;
    this.#entries.set(key, { ...entry, ...change });
    this.#onChange();
  }

  #remove(key: string, position: number): void {
    if (this.#entries.get(key)?.position !== position) return;
    this.#entries.delete(key);
    this.#onChange();
  }
}

function isFound<T>(entry: RegistryEntry<T | undefined>): entry is RegistryEntry<T> {
  return entry.enabled && entry.item !== undefined;
}

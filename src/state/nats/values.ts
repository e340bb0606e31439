import type { ValueStore } from "../state.ts";
import type { RecordChange, Records } from "./records.ts";

export class NatsValues implements ValueStore {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  async add(key: string, value: string, ttlMs: number): Promise<boolean> {
    const subject = this.#subject(key);
    // Most are new: those take one round trip.
    const isNew = await this.#records.store.run(async () =>
      this.#records.writeIf(subject, this.#toChange(value, ttlMs), 0),
    );
    if (isNew !== undefined) return true;
    return this.#records.update(subject, (record) => {
      if (record) return { outcome: false };
      return { change: this.#toChange(value, ttlMs), outcome: true };
    });
  }

  async put(key: string, value: string, ttlMs: number): Promise<void> {
    await this.#records.store.run(() => this.#records.put(this.#subject(key), this.#toChange(value, ttlMs)));
  }

  async get(key: string): Promise<string | undefined> {
    return (await this.#records.read(this.#subject(key)))?.text;
  }

  remove(key: string): Promise<boolean> {
    return this.#records.remove(this.#subject(key));
  }

  /** The change; only known once the clock of the server is. */
  #toChange(value: string, ttlMs: number): RecordChange {
    return { text: value, expiresAt: this.#records.store.clock.now() + ttlMs };
  }

  #subject(key: string): string {
    return this.#records.store.subject("state", "value", key);
  }
}

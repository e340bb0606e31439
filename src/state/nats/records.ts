import { KeyedMutex } from "../../lib/async/mutex.ts";
import { Payloads, partsOf } from "./jetstream/payload.ts";
import type { NatsStore } from "./jetstream/store.ts";
import type { StoredMessage } from "./jetstream/stored-message.ts";

/** The header of the time at which a message expires. */
export const expiresHeader = "Allspeak-Expires";

export interface StoredRecord {
  readonly subject: string;
  readonly sequence: number;
  readonly text: string;
  /** By the clock of the server. */
  readonly expiresAt: number;
  /** The id of its parts, if it is too long for one message. */
  readonly partsId: string | undefined;
}

export interface RecordChange {
  readonly text: string;
  readonly expiresAt: number;
}

/** More attempts mean that other nodes write the same record all the time. */
const maxAttempts = 200;

/** Records that expire, one message for each. A record changes only if it is still what was read: by its sequence. */
export class Records {
  readonly store: NatsStore;
  readonly #payloads: Payloads;
  readonly #turns = new KeyedMutex();

  constructor(store: NatsStore) {
    this.store = store;
    this.#payloads = new Payloads(store, "state");
  }

  /** The record; undefined if there is none, or if it has expired. */
  async read(subject: string): Promise<StoredRecord | undefined> {
    const record = await this.store.run(() => this.#read(subject));
    return record && this.#isAlive(record) ? record : undefined;
  }

  /** Writes a record, whatever there was. */
  async put(subject: string, change: RecordChange): Promise<void> {
    await this.store.run(() => this.#write(subject, change));
  }

  /** Writes a record if the last one of its subject has this sequence; 0 means that there must be none. */
  async writeIf(subject: string, change: RecordChange, expected: number): Promise<number | undefined> {
    return this.store.run(() => this.#write(subject, change, expected));
  }

  /**
   * Changes a record in one step: `decide` gets the record, or undefined, and returns its change and its own outcome.
   *
   * It is called again when another node was quicker.
   */
  update<T>(
    subject: string,
    decide: (record: StoredRecord | undefined) => Decision<T> | Promise<Decision<T>>,
  ): Promise<T> {
    return this.#turns.run(subject, () => this.store.run(() => this.#update(subject, decide)));
  }

  /** Removes a record; returns whether it was there. */
  async remove(subject: string): Promise<boolean> {
    return this.store.run(async () => {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const record = await this.#read(subject);
        if (record === undefined) return false;
        if (await this.#drop(record)) return this.#isAlive(record);
      }
      throw tooManyWriters(subject);
    });
  }

  async #update<T>(
    subject: string,
    decide: (record: StoredRecord | undefined) => Decision<T> | Promise<Decision<T>>,
  ): Promise<T> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const found = await this.#read(subject);
      const record = found && this.#isAlive(found) ? found : undefined;
      const { change, outcome } = await decide(record);
      if (change === undefined) return outcome;
      const sequence = await this.#write(subject, change, found?.sequence ?? 0);
      if (sequence === undefined) continue;
      if (found?.partsId) this.#removeParts(found.partsId);
      return outcome;
    }
    throw tooManyWriters(subject);
  }

  async #read(subject: string): Promise<StoredRecord | undefined> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const message = await this.store.jetstream.last(this.store.stream("state"), subject);
      if (message === undefined) return undefined;
      const text = await this.#payloads.read(message);
      if (text === undefined) continue;
      const { sequence } = message;
      return { subject, sequence, text, expiresAt: expiryOf(message), partsId: partsOf(message)?.id };
    }
    throw new Error("A part of a record in NATS is gone.");
  }

  async #write(
    subject: string,
    { text, expiresAt }: RecordChange,
    expected?: number,
  ): Promise<number | undefined> {
    const { bytes, headers } = await this.#payloads.write(text);
    const all = { ...headers, [expiresHeader]: String(expiresAt) };
    return this.store.jetstream.publish(subject, bytes, { headers: all, expected });
  }

  async #drop({ sequence, partsId }: StoredRecord): Promise<boolean> {
    const isDropped = await this.store.jetstream.delete(this.store.stream("state"), sequence);
    if (isDropped && partsId) this.#removeParts(partsId);
    return isDropped;
  }

  /** Parts that stay behind are swept. */
  #removeParts(id: string): void {
    this.#payloads.remove(id).catch(() => {});
  }

  #isAlive({ expiresAt }: StoredRecord): boolean {
    return expiresAt > this.store.clock.now();
  }
}

/** The decision about a record; without a change, it stays as it is. */
export interface Decision<T> {
  readonly change?: RecordChange;
  readonly outcome: T;
}

export function expiryOf(message: StoredMessage): number {
  return Number(message.header(expiresHeader));
}

function tooManyWriters(subject: string): Error {
  return new Error(`Too many nodes write ${subject} at the same time.`);
}

import { runLater } from "../../lib/async/timers.ts";
import { Payloads, partIdOf, partsOf } from "./jetstream/payload.ts";
import { scanHeaders } from "./jetstream/scan.ts";
import type { NatsStore, StreamName } from "./jetstream/store.ts";
import type { DeliveredMessage } from "./jetstream/stored-message.ts";
import { expiryOf, type Records } from "./records.ts";

/** The time within which a message follows its parts. */
const settlingMs = 60_000;
/** A sweep may take this share of the time, however much there is to look at. */
const leastPause = 10;

/**
 * Deletes what has expired: NATS deletes single messages by their age only since 2.11.
 *
 * Nodes take turns. It looks at headers, and deletes exactly what it has seen: a newer message of the same subject stays.
 */
export class Sweeper {
  readonly #records: Records;
  readonly #store: NatsStore;
  readonly #everyMs: number;
  #isStopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(records: Records, everyMs: number) {
    this.#records = records;
    this.#store = records.store;
    this.#everyMs = everyMs;
    this.#schedule(everyMs);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Sweeps, unless another node has just done it. */
  async sweep(): Promise<void> {
    const subject = this.#store.subject("state", "sweep");
    const isOurs = await this.#records.update<boolean>(subject, (record) => {
      if (record) return { outcome: false };
      return {
        change: { text: "", expiresAt: this.#store.clock.now() + this.#everyMs * 0.9 },
        outcome: true,
      };
    });
    if (!isOurs) return;
    await this.#sweepRecords("state");
    await this.#sweepRecords("queue");
    await this.#sweepEvents();
  }

  #schedule(afterMs: number): void {
    if (!this.#isStopped) this.#timer = runLater(() => void this.#sweepNow(), afterMs);
  }

  async #sweepNow(): Promise<void> {
    const startedAt = Date.now();
    // Nobody uses a state without a connection. A sweep that fails comes again.
    if (this.#store.jetstream.connection.isOpen) await this.sweep().catch(() => {});
    this.#schedule(Math.max(this.#everyMs, (Date.now() - startedAt) * leastPause));
  }

  async #sweepRecords(name: StreamName): Promise<void> {
    const stream = this.#store.stream(name);
    const parts = new PartCheck();
    for await (const message of this.#all(name)) {
      const expiresAt = expiryOf(message);
      if (expiresAt > 0 && expiresAt <= this.#store.clock.now())
        await this.#store.jetstream.delete(stream, message.sequence);
      else parts.add(message);
    }
    await this.#removeParts(name, parts);
  }

  async #sweepEvents(): Promise<void> {
    const lastOf = new Map<string, DeliveredMessage>();
    const parts = new PartCheck();
    for await (const message of this.#all("events")) {
      if (partIdOf(message) === "") lastOf.set(message.subject, message);
      parts.add(message);
    }
    for (const [subject, last] of lastOf) {
      if (expiryOf(last) > this.#store.clock.now()) continue;
      await this.#store.jetstream.purge(this.#store.stream("events"), subject, last.sequence + 1);
    }
    await this.#removeParts("events", parts);
  }

  async #removeParts(name: StreamName, parts: PartCheck): Promise<void> {
    const payloads = new Payloads(this.#store, name);
    for (const id of parts.unused(this.#store.clock.now() - settlingMs)) await payloads.remove(id);
  }

  #all(name: StreamName): AsyncGenerator<DeliveredMessage> {
    const subject = `${this.#store.options.prefix}.${name}.>`;
    return scanHeaders(this.#store.jetstream, this.#store.stream(name), { subject });
  }
}

/** The parts of long texts, and the messages that name them. */
class PartCheck {
  readonly #timeOf = new Map<string, number>();
  readonly #used = new Set<string>();

  add(message: DeliveredMessage): void {
    const id = partIdOf(message);
    if (id) this.#timeOf.set(id, message.time);
    const parts = partsOf(message);
    if (parts) this.#used.add(parts.id);
  }

  /** The ids of parts from before a time that no message names. */
  unused(before: number): string[] {
    return [...this.#timeOf].filter(([id, time]) => !this.#used.has(id) && time < before).map(([id]) => id);
  }
}

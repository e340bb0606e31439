import type { MessageDirection } from "../../contract/channel.ts";
import { BoundedMap } from "../../lib/bounded/bounded-map.ts";
import type { WireEntry, WireTotals, WireWarning } from "../messages/wire.ts";
import { exchangeBytes, type HttpExchange } from "./http-exchange.ts";
import type { SpecificationCheck } from "./specification-check.ts";
import { cancelledId, toEntry, understand, type WireRecord } from "./wire-record.ts";

export interface WireLimits {
  readonly maxEntries: number;
  /** Of all texts and HTTP exchanges together. */
  readonly maxBytes: number;
}

export const defaultWireLimits: WireLimits = { maxEntries: 200_000, maxBytes: 128 * 1024 * 1024 };

/** Records that are dropped at once when the log is full: one by one would move all others each time. */
const droppedAtOnce = 1_000;
const maxOpenRequests = 10_000;

/** Every message of all connections, in the order in which they were seen; the oldest go when it is full. */
export class WireLog {
  readonly #limits: WireLimits;
  readonly #onAppend: (record: WireRecord) => void;
  readonly #openRequests = new BoundedMap<string, WireRecord>(maxOpenRequests);
  #records: WireRecord[] = [];
  #lastSeq = 0;
  #bytes = 0;
  #dropped = 0;
  /** Counts the times when records went, so that views know that theirs did. */
  #generation = 0;

  constructor(onAppend: (record: WireRecord) => void, limits: WireLimits = defaultWireLimits) {
    this.#onAppend = onAppend;
    this.#limits = limits;
  }

  get records(): readonly WireRecord[] {
    return this.#records;
  }

  get generation(): number {
    return this.#generation;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get totals(): WireTotals {
    return {
      count: this.#records.length,
      first: this.#records[0]?.seq ?? 0,
      last: this.#records.at(-1)?.seq ?? 0,
      bytes: this.#bytes,
      dropped: this.#dropped,
    };
  }

  appendMessage(source: WireSource, text: string, direction: MessageDirection): WireRecord {
    const { message, ...understood } = understand(text);
    const request = this.#requestOf(source.connection, direction, understood);
    const warnings = direction === "received" ? source.check.findBreaches(message, request) : [];
    const { connection, at } = source;
    const parts = { ...understood, warnings, ...(at !== undefined && { at }) };
    const record: WireRecord = this.#create(connection, direction, text, parts);
    if (record.kind === "request") this.#openRequest(record);
    const cancelled = cancelledId(message);
    if (cancelled !== undefined) {
      const open = this.#openRequests.get(keyOf(source.connection, direction, cancelled));
      if (open) open.isCancelled = true;
    }
    if (request) pair(request, record);
    this.#append(record);
    return record;
  }

  /** An exchange that carried no message. */
  appendExchange(connection: string, exchange: HttpExchange): void {
    const text = `${exchange.method} ${exchange.url}${exchange.status ? ` ${exchange.status}` : ""}`;
    const record = this.#create(connection, "sent", text, { kind: "http", warnings: [] });
    record.exchange = exchange;
    record.exchangeBytes = exchangeBytes(exchange);
    this.#append(record);
  }

  /** Attaches the exchange that carries a message. Called again when the exchange has grown. */
  attachExchange(record: WireRecord, exchange: HttpExchange): void {
    const known = sizeOf(record);
    record.exchange = exchange;
    record.exchangeBytes = exchangeBytes(exchange);
    if (this.find(record.seq) !== record) return;
    this.#bytes += sizeOf(record) - known;
    this.#keepWithinLimits();
  }

  /** A remark of the library: output that is no message, an answer to nothing. */
  appendNote(connection: string, text: string, warnings: readonly WireWarning[]): void {
    this.#append(this.#create(connection, "received", text, { kind: "note", warnings }));
  }

  /** A record of its sequence number, if it is still there. */
  find(seq: number): WireRecord | undefined {
    const first = this.#records[0]?.seq ?? 0;
    // Without gaps: the number is the place.
    const found = this.#records[seq - first];
    return found?.seq === seq ? found : undefined;
  }

  entriesAfter(seq: number, most: number): WireEntry[] {
    const first = this.#records[0]?.seq ?? 0;
    const from = Math.max(seq + 1 - first, this.#records.length - most, 0);
    return this.#records.slice(from).map(toEntry);
  }

  /** The first and the last entry of a connection after a sequence number. */
  spanOf(connection: string, after: number): readonly [first: number, last: number] | undefined {
    const from = Math.max(0, after + 1 - (this.#records[0]?.seq ?? 0));
    const own = this.#records.slice(from).filter((record) => record.connection === connection);
    const [first, last] = [own[0], own.at(-1)];
    return first && last && [first.seq, last.seq];
  }

  /** The records of one connection, oldest first. */
  of(connection: string): WireRecord[] {
    return this.#records.filter((record) => record.connection === connection);
  }

  clear(): void {
    this.#records = [];
    this.#openRequests.clear();
    this.#bytes = 0;
    this.#dropped = 0;
    this.#generation++;
  }

  /** Drops the requests of a connection that nobody answers any more. */
  forgetRequests(connection: string): void {
    for (const [key, { connection: owner }] of this.#openRequests)
      if (owner === connection) this.#openRequests.delete(key);
  }

  #create(
    connection: string,
    direction: MessageDirection,
    text: string,
    parts: Pick<WireRecord, "kind" | "warnings"> & Partial<WireRecord>,
  ): WireRecord {
    return {
      at: performance.timeOrigin + performance.now(),
      ...parts,
      seq: ++this.#lastSeq,
      connection,
      direction,
      text,
      bytes: Buffer.byteLength(text),
    };
  }

  #append(record: WireRecord): void {
    this.#records.push(record);
    this.#bytes += sizeOf(record);
    this.#keepWithinLimits();
    this.#onAppend(record);
  }

  #keepWithinLimits(): void {
    const { maxEntries, maxBytes } = this.#limits;
    while (this.#records.length > maxEntries || (this.#bytes > maxBytes && this.#records.length > 1))
      this.#dropOldest();
  }

  #dropOldest(): void {
    const count = Math.min(droppedAtOnce, Math.ceil(this.#records.length / 10));
    const gone = this.#records.splice(0, count);
    for (const record of gone) this.#bytes -= sizeOf(record);
    this.#dropped += gone.length;
    this.#generation++;
  }

  #openRequest(record: WireRecord): void {
    this.#openRequests.set(keyOf(record.connection, record.direction, record.rpcId), record);
  }

  /** The request that an answer belongs to, which is answered from now on. */
  #requestOf(
    connection: string,
    direction: MessageDirection,
    { kind, rpcId }: Pick<WireRecord, "kind" | "rpcId">,
  ): WireRecord | undefined {
    if (kind !== "response" && kind !== "error") return undefined;
    const key = keyOf(connection, direction === "sent" ? "received" : "sent", rpcId);
    const request = this.#openRequests.get(key);
    this.#openRequests.delete(key);
    return request;
  }
}

/** The connection of a message, and the check of what its peer may send. */
export interface WireSource {
  readonly connection: string;
  readonly check: SpecificationCheck;
  /** The time of the message, in milliseconds since 1970. Default: now. */
  readonly at?: number;
}

function keyOf(connection: string, direction: MessageDirection, id: unknown): string {
  return `${connection} ${direction} ${JSON.stringify(id)}`;
}

function sizeOf({ bytes, exchangeBytes = 0 }: WireRecord): number {
  return bytes + exchangeBytes;
}

function pair(request: WireRecord, answer: WireRecord): void {
  request.pair = answer.seq;
  answer.pair = request.seq;
  answer.ms = Math.round((answer.at - request.at) * 100) / 100;
  if (request.method !== undefined) answer.method = request.method;
  if (request.name !== undefined) answer.name = request.name;
  if (request.exchange) answer.exchange = request.exchange;
}

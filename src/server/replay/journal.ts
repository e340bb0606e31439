import { ReplayError } from "../../errors.ts";
import { canonicalJson } from "../../lib/encoding/canonical-json.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { OnceRecords } from "./once-results.ts";

interface AskRecord {
  /** The fingerprint of the question. */
  readonly asked: string;
  /** The answer; absent until it comes. */
  readonly answer?: JsonObject;
}

/** The record of what a handler asked and did once, as JSON, for its next run. */
export interface JournalRecord {
  /** The number of rounds so far. */
  readonly rounds: number;
  readonly asks: { readonly [key: string]: AskRecord };
  readonly onces: OnceRecords;
}

export const emptyRecord: JournalRecord = { rounds: 0, asks: {}, onces: {} };

/** The questions of a handler over all its runs, with their answers. */
export class Journal {
  readonly #rounds: number;
  readonly #onces: Map<string, { readonly value?: unknown }>;
  readonly #asks: Map<string, AskRecord>;
  /** The `inputResponses` of this round, not yet checked. */
  readonly #responses: JsonObject;
  readonly #seen = new Set<string>();

  constructor(record: JournalRecord, responses: JsonObject = {}) {
    this.#rounds = record.rounds;
    this.#onces = new Map(Object.entries(record.onces));
    this.#asks = new Map(Object.entries(record.asks));
    this.#responses = responses;
  }

  get onces(): OnceRecords {
    return Object.fromEntries(this.#onces);
  }

  /**
   * The client's response to a question, if there is one. Throws if an earlier run asked something else
   * under the same name.
   */
  responseTo(key: string, method: string, params: JsonObject): JsonObject | undefined {
    const asked = fingerprint(`${method} ${canonicalJson(params, { indexesFirst: true })}`);
    const known = this.#asks.get(key);
    if (known && known.asked !== asked) {
      throw new ReplayError(
        "changed",
        `The question "${key}" changed between rounds; ask the same in every run, and put what varies into ctx.once.`,
      );
    }
    this.#seen.add(key);
    if (known === undefined) this.#asks.set(key, { asked });
    if (known?.answer) return known.answer;
    // In a later round a response belongs to a question that was asked. Before the first, a client may answer in advance.
    if (known === undefined && this.#rounds > 0) return undefined;
    const response = Object.hasOwn(this.#responses, key) ? this.#responses[key] : undefined;
    return isObject(response) ? response : undefined;
  }

  accept(key: string, answer: JsonObject): void {
    const known = this.#asks.get(key);
    if (known) this.#asks.set(key, { ...known, answer });
  }

  addOnce(key: string, record: JsonObject): void {
    this.#onces.set(key, record);
  }

  /** The name of a question of an earlier round that this run has not asked yet. */
  get missing(): string | undefined {
    for (const key of this.#asks.keys()) if (!this.#seen.has(key)) return key;
    return undefined;
  }

  /** Throws if a question of an earlier round was not asked again: it has another name now, or is gone. */
  assertAllSeen(): void {
    const { missing } = this;
    if (missing === undefined) return;
    throw new ReplayError(
      "changed",
      `The question "${missing}" of an earlier round was not asked again; ask the same questions in every run, in the same order or under names of your own.`,
    );
  }

  toRecord(rounds: number = this.#rounds): JournalRecord {
    return { rounds, asks: Object.fromEntries(this.#asks), onces: this.onces };
  }

  get rounds(): number {
    return this.#rounds;
  }
}

/**
 * A synchronous hash of two times 53 bits. It is not cryptographic: a record that contains it must be
 * encrypted or stay on the server.
 */
function fingerprint(text: string): string {
  return [0x9e3779b1, 0x85ebca6b].map((seed) => mix(text, seed).toString(36)).join("");
}

function mix(text: string, seed: number): number {
  let high = seed;
  let low = ~seed;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x01000193) ^ (low >>> 15);
    low = Math.imul(low ^ code, 0x811c9dc5) ^ (high >>> 13);
  }
  return (high >>> 0) * 2 ** 21 + (low >>> 11);
}

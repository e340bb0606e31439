import { type StoredEvent, streamStart } from "../../../../state/state.ts";
import type { EventPosition } from "./event-id.ts";
import { decodeRecord, isEnd, type StreamRecord } from "./stream-record.ts";

/** The place of an event in a stream. */
export type StreamPosition = Pick<EventPosition, "offset" | "number">;

/** Reads the records of a stored stream in their order. All readers, at all nodes, agree on those that count. */
export class StreamReader {
  /** The offset of the last record. */
  offset: string;
  /** True if another node answers in place of the writer. */
  isTakenOver = false;
  /** The number of the last message that has one. */
  #number: number;
  /** Records that are left of a takeover that does not count. */
  #void = 0;

  constructor({ offset, number = -1 }: StreamPosition = { offset: streamStart }) {
    this.offset = offset;
    this.#number = number;
  }

  /** The next record; undefined for one that does not count. */
  read({ offset, text }: StoredEvent): StreamRecord | undefined {
    const previous = this.offset;
    this.offset = offset;
    if (this.#void > 0) {
      this.#void--;
      return undefined;
    }
    const record = decodeRecord(text);
    if (record.kind === "takeover") {
      if (record.after === previous) this.isTakenOver = true;
      else this.#void = record.count;
    }
    if (!this.#isDouble(record)) return record;
    return isEnd(record) ? { kind: "end" } : undefined;
  }

  /** True if a message came before: a writer that had no answer of the store has stored it again. */
  #isDouble(record: StreamRecord): boolean {
    if (record.kind !== "message" || record.number === undefined) return false;
    if (record.number <= this.#number) return true;
    this.#number = record.number;
    return false;
  }
}

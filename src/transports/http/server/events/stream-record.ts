import type { RequestId } from "../../../../protocol/message.ts";

/** A request whose answer comes on a stream. */
export interface StreamedRequest {
  readonly id: RequestId;
  /** True if it may be repeated if its outcome is not known. */
  readonly mayRepeat: boolean;
}

/** A record of a stored stream. Its text begins with one character for its kind. */
export type StreamRecord =
  /** The requests that are answered on the stream, for a node that has to answer them in place of a dead one. */
  | { readonly kind: "header"; readonly requests: readonly StreamedRequest[] }
  | StreamMessage
  /** The end of a stream without a last message. */
  | { readonly kind: "end" }
  /**
   * Another node answers in place of a writer that it takes for dead, with the next `count` records. They count only if
   * the writer has written nothing after the record at `after`.
   */
  | { readonly kind: "takeover"; readonly after: string; readonly count: number }
  /** The writer is there: a takeover that was begun before this record does not count. */
  | { readonly kind: "alive" };

export interface StreamMessage {
  readonly kind: "message";
  readonly text: string;
  readonly number: number | undefined;
  /** True if the stream is over with it, whatever comes after it. */
  readonly isLast: boolean;
}

export function encodeHeader(requests: readonly StreamedRequest[]): string {
  return `h${JSON.stringify(requests)}`;
}

/** With a number, readers know a message that was stored twice. */
export function encodeMessage(text: string, number?: number): string {
  return `m${toMark(number)}${text}`;
}

export function encodeLastMessage(text: string, number?: number): string {
  return `l${toMark(number)}${text}`;
}

export const endRecord = "e";
export const aliveRecord = "a";

/** The records of a node that answers in place of a writer, whose last record is at `after`. */
export function encodeTakeover(after: string, records: readonly string[]): readonly string[] {
  return [`t${records.length}:${after}`, ...records];
}

/** True if a stream is over with a record, whatever comes after it. */
export function isEnd(record: StreamRecord | undefined): boolean {
  return record?.kind === "end" || (record?.kind === "message" && record.isLast);
}

export function decodeRecord(record: string): StreamRecord {
  switch (record[0]) {
    case "h":
      return { kind: "header", requests: JSON.parse(record.slice(1)) as readonly StreamedRequest[] };
    case "m":
    case "l":
      return decodeMessage(record);
    case "t":
      return decodeTakeover(record);
    case "a":
      return { kind: "alive" };
    default:
      return { kind: "end" };
  }
}

function toMark(number: number | undefined): string {
  return number === undefined ? "" : `${number.toString(36)}:`;
}

function decodeMessage(record: string): StreamRecord {
  // A message is an object, and a number begins with no brace.
  const [mark, number] = /^.([0-9a-z]{1,10}):/.exec(record) ?? [record[0] ?? ""];
  return {
    kind: "message",
    text: record.slice(mark.length),
    number: number === undefined ? undefined : Number.parseInt(number, 36),
    isLast: record[0] === "l",
  };
}

function decodeTakeover(record: string): StreamRecord {
  const separator = record.indexOf(":");
  return {
    kind: "takeover",
    after: record.slice(separator + 1),
    count: Number(record.slice(1, separator)),
  };
}

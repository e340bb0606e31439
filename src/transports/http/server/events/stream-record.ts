import type { RequestId } from "../../../../protocol/message.ts";

/** A request whose answer comes on a stream. */
export interface StreamedRequest {
  readonly id: RequestId;
  /** Whether it may be repeated if its outcome is not known. */
  readonly mayRepeat: boolean;
}

/** A record of a stored stream. Its text begins with one character that says what it is. */
export type StreamRecord =
  /** The requests that are answered on the stream, for a node that has to answer them in place of a dead one. */
  | { readonly kind: "header"; readonly requests: readonly StreamedRequest[] }
  | { readonly kind: "message"; readonly text: string; readonly number: number | undefined }
  /** The end of a stream without a last message. */
  | { readonly kind: "end" };

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

/** Whether a stream is over with a record, whatever comes after it. */
export function isEnd(record: string): boolean {
  return record[0] === "l" || record === endRecord;
}

export function decodeRecord(record: string): StreamRecord {
  switch (record[0]) {
    case "h":
      return { kind: "header", requests: JSON.parse(record.slice(1)) as readonly StreamedRequest[] };
    case "m":
    case "l":
      return decodeMessage(record);
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
  const text = record.slice(mark.length);
  return { kind: "message", text, number: number === undefined ? undefined : Number.parseInt(number, 36) };
}

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
  | { readonly kind: "message"; readonly text: string }
  /** The end of a stream without a last message. */
  | { readonly kind: "end" };

export function encodeHeader(requests: readonly StreamedRequest[]): string {
  return `h${JSON.stringify(requests)}`;
}

export function encodeMessage(text: string): string {
  return `m${text}`;
}

export function encodeLastMessage(text: string): string {
  return `l${text}`;
}

export const endRecord = "e";

/** Whether a stream is over with a record, whatever comes after it. */
export function isEnd(record: string): boolean {
  return record[0] === "l" || record === endRecord;
}

export function decodeRecord(record: string): StreamRecord {
  const text = record.slice(1);
  switch (record[0]) {
    case "h":
      return { kind: "header", requests: JSON.parse(text) as readonly StreamedRequest[] };
    case "m":
    case "l":
      return { kind: "message", text };
    default:
      return { kind: "end" };
  }
}

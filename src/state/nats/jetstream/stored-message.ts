import { fromBase64 } from "../../../lib/encoding/base64.ts";
import { isObject } from "../../../lib/json.ts";
import type { NatsMessage } from "./client.ts";

/** A message of a stream, with the time at which the server took it. */
export interface StoredMessage {
  readonly subject: string;
  readonly sequence: number;
  /** Milliseconds since 1970, by the clock of the server. */
  readonly time: number;
  readonly data: Uint8Array;
  /** A header; the empty string if there is none. */
  header(name: string): string;
}

/** A message that any server of a stream sent; undefined if there is none. */
export function toStoredDirectly({ headers, data }: NatsMessage): StoredMessage | undefined {
  if (headers?.code === 404) return undefined;
  const header = (name: string) => headers?.get(name) ?? "";
  const sequence = Number(header("Nats-Sequence"));
  if (!sequence) throw new Error(`JetStream refused to read a message, with status ${headers?.code}.`);
  const time = Date.parse(header("Nats-Time-Stamp"));
  return { subject: header("Nats-Subject"), sequence, time, data, header };
}

/** A message that the leader of a stream sent inside of JSON. */
export function toStored(message: unknown): StoredMessage {
  if (!isObject(message)) throw new Error("JetStream answered without a message.");
  const { subject, seq, time, hdrs, data } = message;
  const headers = readHeaders(typeof hdrs === "string" ? hdrs : "");
  return {
    subject: String(subject),
    sequence: Number(seq),
    time: Date.parse(String(time)),
    data: (typeof data === "string" ? fromBase64(data) : undefined) ?? new Uint8Array(),
    header: (name) => headers.get(name) ?? "",
  };
}

/** A message that a consumer delivered; its reply subject holds its place. */
export function toDelivered({
  subject,
  reply = "",
  headers,
  data,
}: NatsMessage): DeliveredMessage | undefined {
  // $JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.<count>.<nanoseconds>.<pending>, and since 2.10 possibly with
  // a domain and an account before the stream, and more behind.
  const tokens = reply.split(".");
  const at = tokens.length > 9 ? 7 : 5;
  const [sequence, , time, pending] = tokens.slice(at);
  if (tokens[1] !== "ACK" || pending === undefined) return undefined;
  return {
    subject,
    sequence: Number(sequence),
    time: Number(BigInt(time ?? 0) / 1_000_000n),
    pending: Number(pending),
    data,
    header: (name) => headers?.get(name) ?? "",
  };
}

export interface DeliveredMessage extends StoredMessage {
  /** The number of messages that come after it. */
  readonly pending: number;
}

function readHeaders(base64: string): Map<string, string> {
  const text = new TextDecoder().decode(fromBase64(base64) ?? new Uint8Array());
  const pairs = text.split("\r\n").map((line) => /^([^:]+):\s*(.*)$/.exec(line));
  return new Map(pairs.flatMap((pair) => (pair ? [[pair[1] ?? "", pair[2] ?? ""]] : [])));
}

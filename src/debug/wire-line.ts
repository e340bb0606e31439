import type { MessageDirection } from "../contract/channel.ts";
import type { HttpHead } from "../contract/transport.ts";
import { isObject } from "../lib/json.ts";
import { maskHeader, maskJson } from "../lib/text/mask-secrets.ts";
import { maskText } from "../lib/text/mask-text.ts";
import { toPrintableLine } from "../lib/text/printable.ts";
import { MetaKey } from "../protocol/meta.ts";

/** One thing that went over the wire. */
export interface WireEvent {
  readonly at: number;
  readonly direction: MessageDirection;
  /** The text of a message, or the head of an HTTP request or response. */
  readonly shown: string | HttpHead;
}

/** A connection as its lines name it. The revision is found in the messages, and remembered. */
export interface WireConnection {
  readonly side: "client" | "server";
  readonly number: number;
  revision: string | undefined;
}

/** Longer messages are cut. */
const maxChars = 2_000;
const maxNameChars = 80;

/** One line about one thing that went over the wire. */
export function toWireLine({ at, direction, shown }: WireEvent, connection: WireConnection): string {
  const time = new Date(at).toISOString().slice(11);
  const arrow = direction === "sent" ? "->" : "<-";
  const what = typeof shown === "string" ? showMessage(shown, connection) : showHead(shown);
  return `allspeak ${time} ${connection.side} ${connection.number} ${arrow} ${what}`;
}

function showHead({ line, headers }: HttpHead): string {
  const masked = [...headers].map(([name, value]) => [name, maskHeader(name, value)]);
  return toShown(`${maskText(line)} ${JSON.stringify(Object.fromEntries(masked))}`);
}

function showMessage(text: string, connection: WireConnection): string {
  const message = parse(text);
  connection.revision = findRevision(message) ?? connection.revision;
  const revision = cut(connection.revision ?? "-", maxNameChars);
  return `${toPrintableLine(`${revision} ${describe(message)}`)} ${toShown(message === undefined ? maskText(text) : JSON.stringify(maskJson(message)))}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Shown as it is.
    return undefined;
  }
}

/** The revision that a message names: in its metadata, or in the handshake. */
function findRevision(message: unknown): string | undefined {
  if (!isObject(message)) return undefined;
  const { params, result } = message;
  const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
  const named = meta[MetaKey.protocolVersion] ?? (isObject(result) ? result.protocolVersion : undefined);
  return typeof named === "string" ? named : undefined;
}

/** The kind of a message, with its method or its id. */
function describe(message: unknown): string {
  if (Array.isArray(message)) return `batch of ${message.length}`;
  if (!isObject(message)) return "not a message";
  const id = message.id === undefined ? "" : ` #${cut(String(message.id), maxNameChars)}`;
  if (typeof message.method === "string") return `${cut(message.method, maxNameChars)}${id}`;
  if (isObject(message.error)) return `error ${message.error.code}${id}`;
  return `${"result" in message ? "result" : "not a message"}${id}`;
}

function toShown(text: string): string {
  return cut(toPrintableLine(text), maxChars);
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}… (${text.length} characters)`;
}

import { fromBase64, toBase64 } from "../../lib/encoding/base64.ts";
import { decodeUtf8 } from "../../lib/encoding/utf8.ts";

const prefix = "=?base64?";
const suffix = "?=";

/** Text that an HTTP header carries unchanged: visible ASCII, with spaces and tabs inside only. */
const plain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * A value as a header carries it: unchanged where that is safe, else as base64 between markers.
 *
 * basic/transports/streamable-http#value-encoding (2026-07-28)
 */
export function encodeHeaderValue(value: string): string {
  if (value === "" || (plain.test(value) && !value.includes("\t") && !isMarked(value))) return value;
  return `${prefix}${toBase64(new TextEncoder().encode(value))}${suffix}`;
}

/** The value that a header carries; undefined when its encoding is broken. */
export function decodeHeaderValue(header: string): string | undefined {
  if (!isMarked(header)) return header;
  const bytes = fromBase64(header.slice(prefix.length, -suffix.length));
  return bytes && decodeUtf8(bytes);
}

function isMarked(value: string): boolean {
  return value.length >= prefix.length + suffix.length && value.startsWith(prefix) && value.endsWith(suffix);
}

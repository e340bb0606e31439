const prefix = "=?base64?";
const suffix = "?=";

/** What an HTTP header may carry as it is: visible ASCII, with spaces and tabs inside only. */
const plain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A value as a header carries it: as it is where that is safe, else as base64 between markers. */
export function encodeHeaderValue(value: string): string {
  if (value === "" || (plain.test(value) && !value.includes("\t") && !isMarked(value))) return value;
  const bytes = new TextEncoder().encode(value);
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `${prefix}${btoa(binary)}${suffix}`;
}

/** The value that a header carries; undefined when its encoding is broken. */
export function decodeHeaderValue(header: string): string | undefined {
  if (!isMarked(header)) return header;
  const encoded = header.slice(prefix.length, -suffix.length);
  if (!base64.test(encoded)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not UTF-8, so not a value anybody meant.
    return undefined;
  }
}

function isMarked(value: string): boolean {
  return value.length >= prefix.length + suffix.length && value.startsWith(prefix) && value.endsWith(suffix);
}

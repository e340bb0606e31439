import type { Bytes } from "./bytes.ts";

// String.fromCharCode takes its arguments on the stack.
const chunkSize = 0x8000;

/** RFC 4648 section 4, with padding. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += chunkSize) {
    binary += String.fromCharCode(...bytes.subarray(at, at + chunkSize));
  }
  return btoa(binary);
}

const padded = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The bytes; undefined unless the text is base64 with its padding and nothing else. */
export function fromBase64(text: string): Bytes | undefined {
  return padded.test(text) ? toBytes(atob(text)) : undefined;
}

/** RFC 4648 section 5, without padding. */
export function toBase64url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The characters that may come last, by the length of the last group: bits that carry nothing are 0. */
const lastCharacter = [/^/, /^(?!)/, /[AQgw]$/, /[AEIMQUYcgkosw048]$/];

/** The bytes; undefined unless this is exactly how `toBase64url` writes them. */
export function fromBase64url(text: string): Bytes | undefined {
  if (!/^[\w-]*$/.test(text) || !lastCharacter[text.length % 4]?.test(text.slice(-1))) return undefined;
  return toBytes(atob(text.replaceAll("-", "+").replaceAll("_", "/")));
}

function toBytes(binary: string): Bytes {
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

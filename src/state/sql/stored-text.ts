import { createHash } from "node:crypto";

/** The longest key in bytes that is stored as it is; an index does not take much longer ones. */
const maxKeyBytes = 1024;

/** A text as it is stored. Databases cut a text at a NUL, or refuse it: U+0001 begins an escape in its place. */
export function toStoredText(text: string): string {
  return hasSpecial(text) ? text.replaceAll("\u0001", "\u00011").replaceAll("\0", "\u00010") : text;
}

export function fromStoredText(text: string): string {
  return text.includes("\u0001") ? text.replaceAll("\u00010", "\0").replaceAll("\u00011", "\u0001") : text;
}

/** A key as it is stored. In place of a long one stands its hash, which no other key can look like. */
export function toStoredKey(key: string): string {
  const stored = toStoredText(key);
  // A character of a string has at most three bytes.
  if (stored.length * 3 <= maxKeyBytes || Buffer.byteLength(stored) <= maxKeyBytes) return stored;
  return `\u0001#${createHash("sha256").update(stored).digest("base64url")}`;
}

function hasSpecial(text: string): boolean {
  return text.includes("\0") || text.includes("\u0001");
}

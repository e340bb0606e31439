/** Bytes with memory of their own, as Web Crypto wants them. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** The parts in one piece; a part that is alone is returned as it is, without a copy. */
export function concatBytes<T extends Uint8Array>(parts: readonly T[]): T | Bytes {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

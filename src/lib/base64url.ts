export type Bytes = Uint8Array<ArrayBuffer>;

// String.fromCharCode takes its arguments on the stack.
const chunkSize = 0x8000;

export function toBase64url(bytes: Bytes): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += chunkSize) {
    binary += String.fromCharCode(...bytes.subarray(at, at + chunkSize));
  }
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** What may come last, by how many characters stand alone at the end: the bits that carry nothing are 0. */
const lastCharacter = [/^/, /^(?!)/, /[AQgw]$/, /[AEIMQUYcgkosw048]$/];

/** The bytes; undefined unless this is exactly how `toBase64url` writes them. */
export function fromBase64url(text: string): Bytes | undefined {
  if (!/^[\w-]*$/.test(text) || !lastCharacter[text.length % 4]?.test(text.slice(-1))) return undefined;
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

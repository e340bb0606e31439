import { toBase64url } from "./base64.ts";
import type { Bytes } from "./bytes.ts";
import { toHex } from "./hex.ts";

/** The SHA-256 of a text in base64url, as OAuth writes it (PKCE, `ath`), and for stores that must not hold a secret. */
export async function sha256(text: string): Promise<string> {
  return toBase64url(await digest(text));
}

/** The SHA-256 of a text in hexadecimal digits. */
export async function sha256Hex(text: string): Promise<string> {
  return toHex(await digest(text));
}

async function digest(text: string): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

import { toBase64url } from "./base64.ts";
import { toHex } from "./hex.ts";

/** 256 random bits in base64url, which nobody can guess. */
export function randomToken(): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(32)));
}

/** Random bytes in hexadecimal digits. */
export function randomHex(byteCount: number): string {
  return toHex(crypto.getRandomValues(new Uint8Array(byteCount)));
}

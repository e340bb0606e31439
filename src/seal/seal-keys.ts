import { toBase64url } from "../lib/encoding/base64.ts";
import type { Bytes } from "../lib/encoding/bytes.ts";
import { readSecrets } from "./secrets.ts";

/** The type of a key without the types of browsers. */
type WebCryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** The keys that are derived from one secret: one to encrypt, one to authenticate, and an id for both. */
export interface SealKey {
  readonly id: string;
  readonly encryption: WebCryptoKey;
  readonly mac: WebCryptoKey;
}

/** Keys for what clients carry; the first one seals, every one opens. */
export interface SealKeys {
  /** True for a random key of this process: no other node opens what it seals. */
  readonly isRandom: boolean;
  readonly current: SealKey;
  find(id: string): SealKey | undefined;
}

export const keyIdBytes = 6;

/**
 * Keys made of secrets, newest first.
 *
 * Without secrets, those of the environment variable `ALLSPEAK_STATE_KEYS`, separated by commas; without
 * these, one random key. A secret is base64 of at least 32 bytes, or any text of at least 32 characters.
 */
export async function createSealKeys(secrets?: readonly string[]): Promise<SealKeys> {
  const materials = readSecrets(secrets);
  const keys = await Promise.all(materials?.map(deriveKey) ?? [createRandomKey()]);
  const byId = new Map(keys.map((key) => [key.id, key]));
  return { isRandom: materials === undefined, current: keys[0] as SealKey, find: (id) => byId.get(id) };
}

const aes = { name: "AES-GCM", length: 256 } as const;
const hmac = { name: "HMAC", hash: "SHA-256", length: 256 } as const;

async function deriveKey(material: Bytes): Promise<SealKey> {
  const secret = await crypto.subtle.importKey("raw", material, "HKDF", false, ["deriveKey", "deriveBits"]);
  const [encryption, mac, id] = await Promise.all([
    crypto.subtle.deriveKey(derivation("encryption"), secret, aes, false, ["encrypt", "decrypt"]),
    // The label is part of the keys: another would make state unreadable that clients carry now.
    crypto.subtle.deriveKey(derivation("mark"), secret, hmac, false, ["sign", "verify"]),
    crypto.subtle.deriveBits(derivation("id"), secret, keyIdBytes * 8),
  ]);
  return { id: toBase64url(new Uint8Array(id)), encryption, mac };
}

/** A key for this process alone: each part is random by itself, since no other process has to derive the same. */
async function createRandomKey(): Promise<SealKey> {
  const [encryption, mac] = await Promise.all([
    crypto.subtle.generateKey(aes, false, ["encrypt", "decrypt"]),
    crypto.subtle.generateKey(hmac, false, ["sign", "verify"]),
  ]);
  return { id: toBase64url(crypto.getRandomValues(new Uint8Array(keyIdBytes))), encryption, mac };
}

function derivation(purpose: string): HkdfParams {
  const info = new TextEncoder().encode(`allspeak state key 1: ${purpose}`);
  return { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
}

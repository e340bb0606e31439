import { fromBase64url, toBase64url } from "../lib/encoding/base64.ts";
import { type Bytes, concatBytes } from "../lib/encoding/bytes.ts";
import { SealError } from "./seal-error.ts";
import { keyIdBytes, type SealKey, type SealKeys } from "./seal-keys.ts";

/*
 * version (1) | key id (6) | IV (12) | AES-256-GCM ciphertext with its tag | HMAC-SHA-256 of all before (32)
 *
 * The ciphertext is bound to its header and to a context that is not in it. The HMAC alone, which needs
 * no context, distinguishes a text that was changed from one of ours that is out of place.
 *
 * The IV is random, so a key is good for about 2^32 envelopes: rotate keys of a busy fleet every few weeks.
 */
const version = 1;
const ivAt = 1 + keyIdBytes;
const bodyAt = ivAt + 12;
const tagBytes = 16;
const macBytes = 32;
export const envelopeBytes: number = bodyAt + tagBytes + macBytes;

/** Text that only a holder of the key can read or make, and only for this context. */
export async function wrap(key: SealKey, plain: Bytes, context: string): Promise<string> {
  const header = new Uint8Array(bodyAt);
  header[0] = version;
  header.set(fromBase64url(key.id) as Bytes, 1);
  crypto.getRandomValues(header.subarray(ivAt));
  const body = await crypto.subtle.encrypt(parameters(header, context), key.encryption, plain);
  const authenticated = concatBytes([header, new Uint8Array(body)]);
  const mac = await crypto.subtle.sign("HMAC", key.mac, authenticated);
  return toBase64url(concatBytes([authenticated, new Uint8Array(mac)]));
}

export async function unwrap(keys: SealKeys, text: string, context: string): Promise<Bytes> {
  const bytes = fromBase64url(text);
  if (!bytes || bytes.length < envelopeBytes || bytes[0] !== version) throw new SealError("malformed");
  const key = keys.find(toBase64url(bytes.subarray(1, ivAt)));
  if (!key) throw new SealError("unknown-key");
  const macAt = bytes.length - macBytes;
  const authenticated = bytes.subarray(0, macAt);
  const isOurs = await crypto.subtle.verify("HMAC", key.mac, bytes.subarray(macAt), authenticated);
  if (!isOurs) throw new SealError("tampered");
  try {
    const header = bytes.subarray(0, bodyAt);
    const body = bytes.subarray(bodyAt, macAt);
    return new Uint8Array(await crypto.subtle.decrypt(parameters(header, context), key.encryption, body));
  } catch {
    throw new SealError("mismatch");
  }
}

/** The header has a fixed length, so that no other header and context make the same additional data. */
function parameters(header: Bytes, context: string): AesGcmParams {
  const additionalData = concatBytes([header, new TextEncoder().encode(context)]);
  return { name: "AES-GCM", iv: header.subarray(ivAt), additionalData, tagLength: tagBytes * 8 };
}

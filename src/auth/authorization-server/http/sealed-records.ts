import { EncryptJWT, jwtDecrypt } from "jose";
import type { SigningKeys } from "../tokens/signing-keys.ts";

export interface SealedRecordsOptions {
  readonly issuer: string;
  readonly keys: SigningKeys;
  /** The purpose of the records; text that was sealed for another can't be opened. */
  readonly kind: "consent" | "login";
  readonly seconds: number;
}

/**
 * Records that a browser carries, encrypted, until its user comes back.
 *
 * Anybody can begin a login, so nothing is stored for it: whoever never comes back takes no room.
 */
export class SealedRecords<T extends object> {
  readonly #options: SealedRecordsOptions;

  constructor(options: SealedRecordsOptions) {
    this.#options = options;
  }

  async seal(record: T): Promise<string> {
    const { issuer, keys, kind, seconds } = this.#options;
    const [newest] = await keys.encryptionKeys();
    if (newest === undefined) throw new Error("An issuer has at least one key.");
    return new EncryptJWT({ record })
      .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
      .setIssuer(issuer)
      .setAudience(kind)
      .setExpirationTime(Math.floor(Date.now() / 1000) + seconds)
      .encrypt(newest);
  }

  /** The record of a sealed text; undefined for one that has expired or was sealed elsewhere. */
  async open(text: string): Promise<T | undefined> {
    const { issuer, keys, kind } = this.#options;
    for (const key of await keys.encryptionKeys()) {
      try {
        const { payload } = await jwtDecrypt(text, key, { issuer, audience: kind });
        return payload.record as T;
      } catch {
        // Another key may open it.
      }
    }
    return undefined;
  }
}

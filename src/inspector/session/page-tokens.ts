import { createHash, timingSafeEqual } from "node:crypto";
import { randomToken } from "../../lib/encoding/random-token.ts";

const maxTokens = 16;
/** An address that nobody has opened by then may lie in a log or a history. */
const tokenMs = 600_000;
const maxSecrets = 64;

/** The one-time tokens of addresses, and the secrets of the pages that were opened with them. */
export class PageTokens {
  readonly #tokens: { readonly token: string; readonly until: number }[] = [];
  readonly #secrets: string[] = [];

  /** A new token for one page, for ten minutes. The oldest unused one goes if there are too many. */
  createToken(): string {
    const token = randomToken();
    this.#tokens.push({ token, until: Date.now() + tokenMs });
    if (this.#tokens.length > maxTokens) this.#tokens.shift();
    return token;
  }

  /** The secret for a token, which is used up by that; undefined for any other text. */
  exchange(token: string): string | undefined {
    const place = this.#tokens.findIndex((known) => isSame(known.token, token));
    const [found] = place < 0 ? [] : this.#tokens.splice(place, 1);
    if (found === undefined || found.until < Date.now()) return undefined;
    const secret = randomToken();
    this.#secrets.push(secret);
    if (this.#secrets.length > maxSecrets) this.#secrets.shift();
    return secret;
  }

  isSecret(secret: string): boolean {
    return this.#secrets.some((known) => isSame(known, secret));
  }
}

/** Compares in a time that does not depend on where the texts differ. */
function isSame(known: string, given: string): boolean {
  return timingSafeEqual(digest(known), digest(given));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

import type { OneTimeValues } from "../../contract/http-auth.ts";
import { randomHex } from "../../lib/encoding/random-token.ts";

const windowMs = 120_000;

/**
 * Nonces that prove how recently a DPoP proof was made (RFC 9449, section 9).
 *
 * Each window of time has one nonce, the same for all nodes and callers. The nonce of the previous
 * window is accepted too, so a client can use a nonce for two to four minutes.
 */
export class DpopNonces {
  readonly #values: OneTimeValues;
  readonly #known = new Map<number, string>();

  constructor(values: OneTimeValues) {
    this.#values = values;
  }

  async current(): Promise<string> {
    return (await this.#of(toWindow(), randomHex(16))) ?? "";
  }

  /** True for the nonce of the current or the previous window. */
  async isRecent(nonce: unknown): Promise<boolean> {
    if (typeof nonce !== "string" || nonce === "") return false;
    const window = toWindow();
    return nonce === (await this.#of(window)) || nonce === (await this.#of(window - 1));
  }

  /** The nonce of a window; `offered` becomes it where there is none. */
  async #of(window: number, offered?: string): Promise<string | undefined> {
    const known = this.#known.get(window);
    if (known !== undefined) return known;
    const key = `dpop-nonce ${window}`;
    if (offered !== undefined) await this.#values.add(key, offered, 3 * windowMs);
    const nonce = await this.#values.get(key);
    if (nonce === undefined) return undefined;
    for (const old of this.#known.keys()) if (old < window - 1) this.#known.delete(old);
    this.#known.set(window, nonce);
    return nonce;
  }
}

function toWindow(): number {
  return Math.floor(Date.now() / windowMs);
}

import type { OneTimeValues } from "../../contract/http-auth.ts";
import { randomHex } from "../../lib/random-token.ts";

const windowMs = 120_000;

/**
 * Values that only this server gives out, which show that a proof was made lately.
 *
 * One for each stretch of time, the same for all nodes and callers. The one before is good,
 * too, so a client has between two and four minutes.
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

  /** Whether a nonce was given out lately. */
  async isRecent(nonce: unknown): Promise<boolean> {
    if (typeof nonce !== "string" || nonce === "") return false;
    const window = toWindow();
    return nonce === (await this.#of(window)) || nonce === (await this.#of(window - 1));
  }

  /** The nonce of a stretch of time; `offered` becomes it when there is none. */
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

import { sha256 } from "../../../lib/encoding/sha256.ts";

export interface CookieOptions {
  readonly issuer: string;
  readonly kind: string;
  readonly seconds: number;
}

/** The bytes that the cookies of one kind may take in the head of a request; servers take 16 KiB for all of it, or less. */
const maxBytes = 6 * 1024;

/** The cookies of one kind. A browser has one for each thing that is pending, named by a digest of its key. */
export class Cookies {
  readonly #prefix: string;
  readonly #secure: string;
  readonly #seconds: number;

  /**
   * The prefix `__Host-` keeps sibling hosts and pages without TLS from setting such a cookie.
   * On loopback there is no TLS, and browsers refuse the prefix there.
   */
  constructor({ issuer, kind, seconds }: CookieOptions) {
    const isSecure = issuer.startsWith("https:");
    this.#prefix = `${isSecure ? "__Host-" : ""}allspeak-${kind}-`;
    this.#secure = isSecure ? "; Secure" : "";
    this.#seconds = seconds;
  }

  /**
   * The values of the `Set-Cookie` headers that add a cookie to those that a request brings.
   *
   * The oldest are deleted where all would take too much room: a user may begin many things, and end none.
   */
  async add(request: Request, key: string, value: string): Promise<string[]> {
    const name = await this.#nameOf(key);
    let bytes = name.length + value.length;
    // Browsers send the oldest first: RFC 6265, section 5.4.
    const tooMany = this.#pairsOf(request)
      .reverse()
      .filter((pair) => {
        bytes += pair.length;
        return bytes > maxBytes;
      });
    const names = tooMany.map((pair) => pair.slice(0, pair.indexOf("=")));
    return [this.#toHeader(name, value, this.#seconds), ...names.map((old) => this.#toHeader(old, "", 0))];
  }

  /** The value of the `Set-Cookie` header that deletes a cookie. */
  async clear(key: string): Promise<string> {
    return this.#toHeader(await this.#nameOf(key), "", 0);
  }

  async read(request: Request, key: string): Promise<string | undefined> {
    const start = `${await this.#nameOf(key)}=`;
    const found = this.#pairsOf(request).filter((pair) => pair.startsWith(start));
    // Of two cookies with one name, either may have been planted.
    return found.length === 1 ? found[0]?.slice(start.length) : undefined;
  }

  async #nameOf(key: string): Promise<string> {
    return this.#prefix + (await sha256(key)).slice(0, 8);
  }

  #pairsOf(request: Request): string[] {
    const pairs = request.headers.get("cookie")?.split(";") ?? [];
    return pairs.map((pair) => pair.trim()).filter((pair) => pair.startsWith(this.#prefix));
  }

  #toHeader(name: string, value: string, seconds: number): string {
    return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${this.#secure}`;
  }
}

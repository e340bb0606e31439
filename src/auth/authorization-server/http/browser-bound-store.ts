import { randomToken } from "../../../lib/random-token.ts";
import { sha256 } from "../../../lib/sha256.ts";
import type { ValueStore } from "../../../state/state.ts";
import { readCookie, toCookie } from "./cookie.ts";
import { OAuthError } from "./oauth-error.ts";

export interface BrowserBoundStoreOptions {
  readonly issuer: string;
  readonly values: ValueStore;
  /** The records' name in keys, cookies and messages. */
  readonly kind: "consent" | "login";
  readonly seconds: number;
}

/**
 * Records that only the browser they were made for can take, and only once.
 *
 * The browser is recognised by a cookie, of which the store keeps a hash. Each record has a cookie
 * of its own, so that several windows do not overwrite each other's.
 */
export class BrowserBoundStore<T extends object> {
  readonly #options: BrowserBoundStoreOptions;

  constructor(options: BrowserBoundStoreOptions) {
    this.#options = options;
  }

  /** Keeps a record under its ticket and returns the `Set-Cookie` header for the browser. */
  async put(ticket: string, record: T): Promise<string> {
    const { values, kind, seconds } = this.#options;
    const [id, secret] = [await sha256(ticket), randomToken()];
    const kept = { ...record, browser: await sha256(secret) };
    await values.put(`${kind}:${id}`, JSON.stringify(kept), seconds * 1000);
    return this.#toCookie(id, secret, seconds);
  }

  /** Removes and returns the record of a ticket. Throws OAuthError unless `request` comes from its browser. */
  async take(
    ticket: string,
    request: Request,
  ): Promise<{ readonly record: T; readonly clearCookie: string }> {
    const { issuer, values, kind } = this.#options;
    const id = await sha256(ticket);
    const text = await values.get(`${kind}:${id}`);
    if (text === undefined) throw refused(`The ${kind} is unknown, was used before, or has expired.`);
    const { browser, ...record } = JSON.parse(text) as T & { readonly browser: string };
    const cookie = readCookie(request, issuer, this.#cookieName(id));
    if (cookie === undefined || (await sha256(cookie)) !== browser)
      throw refused(`The ${kind} was started in another browser.`);
    if (!(await values.remove(`${kind}:${id}`))) throw refused(`The ${kind} was used before.`);
    return { record: record as unknown as T, clearCookie: this.#toCookie(id, "", 0) };
  }

  #toCookie(id: string, value: string, seconds: number): string {
    return toCookie(this.#options.issuer, this.#cookieName(id), value, seconds);
  }

  #cookieName(id: string): string {
    return `allspeak-${this.#options.kind}-${id.slice(0, 8)}`;
  }
}

function refused(description: string): OAuthError {
  return new OAuthError("access_denied", description, { status: 403 });
}

import { randomToken } from "../../../lib/random-token.ts";
import { sha256 } from "../../../lib/sha256.ts";
import type { ValueStore } from "../../../state/state.ts";
import type { AuthorizationRequest } from "../authorization-request.ts";
import { readCookie, toCookie } from "../http/cookie.ts";
import { OAuthError } from "../http/oauth-error.ts";
import type { LoginSecrets } from "./upstream.ts";

/** A login at the identity provider that its user agreed to. */
export interface PendingLogin extends LoginSecrets {
  readonly request: AuthorizationRequest;
}

interface Kept extends PendingLogin {
  /** Hash of the cookie of the browser in which the user agreed. */
  readonly browser: string;
}

const loginSeconds = 600;

/**
 * Logins under way.
 *
 * One begins only when the user has agreed, and only the browser in which that was can end
 * it, once. Otherwise whoever started a login could have a stranger end it: the provider,
 * which knows only this proxy, would not ask the stranger anything.
 */
export class PendingLogins {
  readonly #issuer: string;
  readonly #values: ValueStore;

  constructor(issuer: string, values: ValueStore) {
    this.#issuer = issuer;
    this.#values = values;
  }

  async begin(request: AuthorizationRequest): Promise<{ login: PendingLogin; cookie: string }> {
    const browser = randomToken();
    const login = { request, state: randomToken(), nonce: randomToken(), verifier: randomToken() };
    const kept: Kept = { ...login, browser: await sha256(browser) };
    const key = await sha256(login.state);
    await this.#values.put(`login:${key}`, JSON.stringify(kept), loginSeconds * 1000);
    return { login, cookie: toCookie(this.#issuer, cookieOf(key), browser, loginSeconds) };
  }

  /** Throws a refusal for a callback that belongs to no login of this browser. */
  async end(callback: Request): Promise<{ login: PendingLogin; cookie: string }> {
    const states = new URL(callback.url).searchParams.getAll("state");
    const key = await sha256(states.length === 1 ? (states[0] ?? "") : "");
    const text = await this.#values.get(`login:${key}`);
    if (text === undefined) throw refused("No login waits for this answer, or no longer.");
    const { browser, ...login } = JSON.parse(text) as Kept;
    const cookie = readCookie(callback, this.#issuer, cookieOf(key));
    if (cookie === undefined || (await sha256(cookie)) !== browser) {
      throw refused("This login was begun in another browser.");
    }
    if (!(await this.#values.remove(`login:${key}`))) throw refused("This login has ended already.");
    return { login, cookie: toCookie(this.#issuer, cookieOf(key), "", 0) };
  }
}

function cookieOf(key: string): string {
  return `allspeak-login-${key.slice(0, 8)}`;
}

function refused(description: string): OAuthError {
  return new OAuthError("access_denied", description, { status: 403 });
}

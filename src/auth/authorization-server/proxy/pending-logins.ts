import { randomToken } from "../../../lib/random-token.ts";
import type { ValueStore } from "../../../state/state.ts";
import { createAuthorizationSecrets } from "../../authorization-request.ts";
import { BrowserBoundStore } from "../http/browser-bound-store.ts";
import type { AuthorizationRequest } from "../read-authorization-request.ts";
import type { LoginSecrets } from "./upstream.ts";

/** A login at the identity provider that the user consented to. */
export interface PendingLogin extends LoginSecrets {
  readonly request: AuthorizationRequest;
}

const loginSeconds = 600;

/**
 * Logins that the identity provider has not answered yet.
 *
 * A login begins only after the user's consent, and only the browser that gave it can end the login.
 * Otherwise an attacker could begin one and have a victim end it: the provider, which knows only
 * this proxy, would not ask the victim for consent.
 */
export class PendingLogins {
  readonly #pending: BrowserBoundStore<PendingLogin>;

  constructor(issuer: string, values: ValueStore) {
    this.#pending = new BrowserBoundStore({ issuer, values, kind: "login", seconds: loginSeconds });
  }

  async begin(request: AuthorizationRequest): Promise<{ login: PendingLogin; cookie: string }> {
    const login = { request, ...createAuthorizationSecrets(), nonce: randomToken() };
    return { login, cookie: await this.#pending.put(login.state, login) };
  }

  /** Ends the login that a callback belongs to. Throws OAuthError when this browser began no such login. */
  async end(callback: Request): Promise<{ login: PendingLogin; cookie: string }> {
    const states = new URL(callback.url).searchParams.getAll("state");
    const state = states.length === 1 ? (states[0] ?? "") : "";
    const { record: login, clearCookie: cookie } = await this.#pending.take(state, callback);
    return { login, cookie };
  }
}

import { randomToken } from "../../../lib/encoding/random-token.ts";
import { sha256 } from "../../../lib/encoding/sha256.ts";
import type { ValueStore } from "../../../state/state.ts";
import { createAuthorizationSecrets } from "../../authorization-url.ts";
import { clockDifferenceMs } from "../../clock-difference.ts";
import { Cookies } from "../http/cookie.ts";
import { invalidRequestError, OAuthError } from "../http/oauth-error.ts";
import { SealedRecords } from "../http/sealed-records.ts";
import type { Issuer } from "../issuer.ts";
import type { AuthorizationRequest } from "../read-authorization-request.ts";
import type { LoginSecrets } from "./identity-provider.ts";

/** The part of an authorization request that is needed after the login. */
export interface LoginRequest extends Omit<AuthorizationRequest, "client"> {
  readonly clientId: string;
}

/** A login at the identity provider that the user consented to. */
export interface PendingLogin extends LoginSecrets {
  readonly request: LoginRequest;
}

/** The time that the user has to log in. */
const loginSeconds = 600;
/** Browsers drop cookies of more than 4,096 bytes; encryption and base64 take a third, and secrets their part. */
const maxRequestChars = 2_500;

/**
 * Logins that the identity provider has not answered yet. The browser carries each in a cookie, encrypted.
 *
 * A login begins only after the user's consent, and only the browser that gave it can end the login.
 * Otherwise an attacker could begin one and have a victim end it: the provider, which knows only
 * this proxy, would not ask the victim for consent.
 */
export class PendingLogins {
  readonly #cookies: Cookies;
  readonly #values: ValueStore;
  readonly #sealed: SealedRecords<PendingLogin>;
  /** The logins whose callback is being answered. */
  readonly #ending = new Set<string>();

  constructor({ url: issuer, keys, values }: Pick<Issuer, "url" | "keys" | "values">) {
    this.#cookies = new Cookies({ issuer, kind: "login", seconds: loginSeconds });
    this.#values = values;
    this.#sealed = new SealedRecords({ issuer, keys, kind: "login", seconds: loginSeconds });
  }

  /** Begins a login in the browser that sent `http`, with the `Set-Cookie` headers for it. */
  async begin(
    http: Request,
    request: AuthorizationRequest,
  ): Promise<{ login: PendingLogin; cookies: readonly string[] }> {
    const login = { request: toLoginRequest(request), ...createAuthorizationSecrets(), nonce: randomToken() };
    return { login, cookies: await this.#cookies.add(http, login.state, await this.#sealed.seal(login)) };
  }

  /**
   * Answers the callback of a login, with the cookie that ends it. Throws OAuthError when this browser began no such
   * login, or has ended it.
   */
  async end(
    callback: Request,
    answer: (login: PendingLogin, clearCookie: string) => Promise<Response>,
  ): Promise<Response> {
    const states = new URL(callback.url).searchParams.getAll("state");
    const state = states.length === 1 ? (states[0] ?? "") : "";
    const cookie = await this.#cookies.read(callback, state);
    const login = cookie && (await this.#sealed.open(cookie));
    if (!login || login.state !== state)
      throw refused("The login was started in another browser, or has expired.");
    const isEnded = (await this.#values.get(await endedKey(login))) !== undefined;
    if (isEnded || this.#ending.has(state)) throw refused("The login was ended before.");
    this.#ending.add(state);
    try {
      return await answer(login, await this.#cookies.clear(state));
    } finally {
      this.#ending.delete(state);
    }
  }

  /**
   * Marks a login as ended; throws OAuthError if it was. To be called when the provider has confirmed the user, so
   * that nobody else takes room in the store.
   */
  async markEnded(login: PendingLogin): Promise<void> {
    if (await this.#values.add(await endedKey(login), "", loginSeconds * 1000 + clockDifferenceMs)) return;
    throw new OAuthError("access_denied", "The login was ended before.");
  }
}

/** Throws OAuthError for a request that no browser could carry through the login. */
export function assertCarriable(request: AuthorizationRequest): void {
  if (JSON.stringify(toLoginRequest(request)).length > maxRequestChars)
    throw invalidRequestError("The request is too long; shorten its state.");
}

function toLoginRequest({ client, ...request }: AuthorizationRequest): LoginRequest {
  return { ...request, clientId: client.client_id };
}

async function endedKey({ state }: PendingLogin): Promise<string> {
  return `ended-login:${await sha256(state)}`;
}

function refused(description: string): OAuthError {
  return new OAuthError("access_denied", description, { status: 403 });
}

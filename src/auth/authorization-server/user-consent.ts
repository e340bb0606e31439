import { randomToken } from "../../lib/encoding/random-token.ts";
import { sha256 } from "../../lib/encoding/sha256.ts";
import type { Html } from "../../lib/text/html.ts";
import { toConsentPage, type UserConsentRequest } from "./consent-page.ts";
import { Cookies } from "./http/cookie.ts";
import { OAuthError } from "./http/oauth-error.ts";
import { type RequestParameters, readForm } from "./http/request-parameters.ts";
import { htmlResponse, withCookies } from "./http/response.ts";
import { SealedRecords } from "./http/sealed-records.ts";
import type { SigningKeys } from "./tokens/signing-keys.ts";

export interface UserConsentOptions {
  readonly issuer: string;
  readonly keys: SigningKeys;
  /** The path, below the issuer, that the form is sent to. */
  readonly path: string;
}

export interface UserDecision<T> {
  readonly request: T;
  readonly isAllowed: boolean;
  readonly form: RequestParameters;
  /** The `Set-Cookie` header that keeps the browser from answering again. */
  readonly clearCookie: string;
}

const consentSeconds = 600;

interface PendingConsent<T> {
  readonly request: T;
  /** The hash of the cookie by which the browser is recognised. */
  readonly browser: string;
}

/**
 * Asks the user to allow a client's request. Only the browser that shows the page can answer it.
 *
 * The page carries the request, sealed, and the browser gets a cookie of its own for each page, so that several
 * windows do not overwrite each other's.
 */
export class UserConsent<T extends UserConsentRequest> {
  readonly #issuer: string;
  readonly #action: string;
  readonly #sealed: SealedRecords<PendingConsent<T>>;
  readonly #cookies: Cookies;

  constructor({ issuer, keys, path }: UserConsentOptions) {
    this.#issuer = issuer;
    this.#action = new URL(issuer + path).pathname;
    this.#sealed = new SealedRecords({ issuer, keys, kind: "consent", seconds: consentSeconds });
    this.#cookies = new Cookies({ issuer, kind: "consent", seconds: consentSeconds });
  }

  async ask(http: Request, request: T, choices?: Html): Promise<Response> {
    const secret = randomToken();
    const ticket = await this.#sealed.seal({ request, browser: await sha256(secret) });
    const page = toConsentPage({ request, action: this.#action, ticket, choices });
    return withCookies(htmlResponse(page), await this.#cookies.add(http, ticket, secret));
  }

  /** Reads the form of the consent page. Throws OAuthError for a form that another page or browser sent. */
  async readDecision(http: Request): Promise<UserDecision<T>> {
    assertSameOrigin(http, this.#issuer);
    const form = await readForm(http);
    const ticket = form.require("ticket");
    const pending = await this.#sealed.open(ticket);
    if (pending === undefined) throw refused("The consent is unknown or has expired.");
    const cookie = await this.#cookies.read(http, ticket);
    if (cookie === undefined || (await sha256(cookie)) !== pending.browser)
      throw refused("The consent was started in another browser, or was given before.");
    const clearCookie = await this.#cookies.clear(ticket);
    return { request: pending.request, isAllowed: form.get("decision") === "allow", form, clearCookie };
  }
}

function refused(description: string): OAuthError {
  return new OAuthError("access_denied", description, { status: 403 });
}

/** Keeps other sites from submitting the form in the user's browser (CSRF). */
function assertSameOrigin(request: Request, issuer: string): void {
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const isForeign =
    (origin !== null && origin !== new URL(issuer).origin) || (site !== null && site !== "same-origin");
  if (isForeign) throw refused("The form was sent by another site.");
}

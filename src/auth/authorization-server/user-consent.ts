import { randomToken } from "../../lib/random-token.ts";
import type { ValueStore } from "../../state/state.ts";
import { toConsentPage, type UserConsentRequest } from "./consent-page.ts";
import { BrowserBoundStore } from "./http/browser-bound-store.ts";
import type { Html } from "./http/html.ts";
import { OAuthError } from "./http/oauth-error.ts";
import { type RequestParameters, readForm } from "./http/request-parameters.ts";
import { htmlResponse } from "./http/response.ts";

export interface UserConsentOptions {
  readonly issuer: string;
  readonly values: ValueStore;
  /** The path, below the issuer, that the form is sent to. */
  readonly path: string;
}

export interface UserDecision<T> {
  readonly request: T;
  readonly isAllowed: boolean;
  readonly form: RequestParameters;
}

const consentSeconds = 600;

/** Asks the user to allow a client's request. Only the browser that shows the page can answer it, once. */
export class UserConsent<T extends UserConsentRequest> {
  readonly #issuer: string;
  readonly #action: string;
  // The member is called `wish` in stores that nodes of earlier releases share.
  readonly #pending: BrowserBoundStore<{ readonly wish: T }>;

  constructor({ issuer, values, path }: UserConsentOptions) {
    this.#issuer = issuer;
    this.#action = new URL(issuer + path).pathname;
    this.#pending = new BrowserBoundStore({ issuer, values, kind: "consent", seconds: consentSeconds });
  }

  async ask(request: T, choices?: Html): Promise<Response> {
    const ticket = randomToken();
    const cookie = await this.#pending.put(ticket, { wish: request });
    const page = toConsentPage({ request, action: this.#action, ticket, choices });
    return htmlResponse(page, 200, { "set-cookie": cookie });
  }

  /** Reads the form of the consent page. Throws OAuthError for a form that another page or browser sent. */
  async readDecision(http: Request): Promise<UserDecision<T>> {
    assertSameOrigin(http, this.#issuer);
    const form = await readForm(http);
    const { record } = await this.#pending.take(form.require("ticket"), http);
    return { request: record.wish, isAllowed: form.get("decision") === "allow", form };
  }
}

/** Keeps other sites from submitting the form in the user's browser (CSRF). */
function assertSameOrigin(request: Request, issuer: string): void {
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const isForeign =
    (origin !== null && origin !== new URL(issuer).origin) || (site !== null && site !== "same-origin");
  if (isForeign) throw new OAuthError("access_denied", "The form was sent by another site.", { status: 403 });
}

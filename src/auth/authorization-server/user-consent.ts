import { randomToken } from "../../lib/random-token.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { ValueStore } from "../../state/state.ts";
import { toConsentPage, type UserConsentRequest } from "./consent-page.ts";
import { readCookie, toCookie } from "./http/cookie.ts";
import type { Html } from "./http/html.ts";
import { OAuthError } from "./http/oauth-error.ts";
import { type RequestParameters, readForm } from "./http/request-parameters.ts";
import { htmlResponse } from "./http/response.ts";

export interface UserConsentOptions {
  readonly issuer: string;
  readonly values: ValueStore;
  /** Where the answer goes, below the issuer. */
  readonly path: string;
}

export interface UserDecision<T> {
  readonly request: T;
  readonly isAllowed: boolean;
  readonly form: RequestParameters;
}

interface Asked<T> {
  readonly wish: T;
  /** Hash of the cookie of the browser that the question was shown in. */
  readonly browser: string;
}

const askSeconds = 600;

/** Asks the user whether a client may have what it wants. Only the browser that saw the question can answer it, once. */
export class UserConsent<T extends UserConsentRequest> {
  readonly #options: UserConsentOptions;

  constructor(options: UserConsentOptions) {
    this.#options = options;
  }

  async ask(wish: T, choices?: Html): Promise<Response> {
    const { issuer, values, path } = this.#options;
    const [ticket, browser] = [randomToken(), randomToken()];
    const asked: Asked<T> = { wish, browser: await sha256(browser) };
    await values.put(`consent:${await sha256(ticket)}`, JSON.stringify(asked), askSeconds * 1000);
    const cookie = toCookie(issuer, await cookieOf(ticket), browser, askSeconds);
    return htmlResponse(
      toConsentPage({ request: wish, action: new URL(issuer + path).pathname, ticket, choices }),
      200,
      {
        "set-cookie": cookie,
      },
    );
  }

  /** Throws a refusal for an answer that did not come from the page that was shown. */
  async readDecision(http: Request): Promise<UserDecision<T>> {
    const { issuer, values } = this.#options;
    assertOwnPage(http, issuer);
    const form = await readForm(http);
    const ticket = form.require("ticket");
    const key = `consent:${await sha256(ticket)}`;
    const kept = await values.get(key);
    if (kept === undefined) throw refused("The question was answered before, or too long ago.");
    const { wish, browser } = JSON.parse(kept) as Asked<T>;
    const cookie = readCookie(http, issuer, await cookieOf(ticket));
    if (cookie === undefined || (await sha256(cookie)) !== browser) {
      throw refused("The question was shown in another browser.");
    }
    if (!(await values.remove(key))) throw refused("The question was answered before.");
    return { request: wish, isAllowed: form.get("decision") === "allow", form };
  }
}

/** One for each question, so that several windows don't take each other's. */
async function cookieOf(ticket: string): Promise<string> {
  return `allspeak-consent-${(await sha256(ticket)).slice(0, 8)}`;
}

/** No other site may press the button. */
function assertOwnPage(request: Request, issuer: string): void {
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  if (origin !== null && origin !== new URL(issuer).origin)
    throw refused("The answer came from another site.");
  if (site !== null && site !== "same-origin") throw refused("The answer came from another site.");
}

function refused(description: string): OAuthError {
  return new OAuthError("access_denied", description, { status: 403 });
}

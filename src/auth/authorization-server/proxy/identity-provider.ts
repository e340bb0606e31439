import * as oauth from "oauth4webapi";
import { Throttle } from "../../../lib/async/throttle.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { type AuthorizationSecrets, toAuthorizationUrl } from "../../authorization-url.ts";
import { loadOnce } from "../../fetch/load-once.ts";
import { type OAuthRequestOptions, toRequestOptions } from "../../fetch/request-options.ts";
import { OAuthError } from "../http/oauth-error.ts";
import type { OAuthProxyOptions, UpstreamLogin } from "./options.ts";

/** The secrets of a login at the identity provider. */
export interface LoginSecrets extends AuthorizationSecrets {
  readonly nonce: string;
}

/** The identity provider, with the proxy as its only client. */
export class IdentityProvider {
  readonly #options: OAuthProxyOptions["upstream"];
  readonly #callback: string;
  readonly #request: OAuthRequestOptions;
  readonly #client: oauth.Client;
  readonly #reports = new Throttle(10_000);
  readonly #server: () => Promise<oauth.AuthorizationServer>;

  constructor({ upstream, fetch }: OAuthProxyOptions, callback: string) {
    const issuer = new URL(upstream.issuer);
    this.#options = upstream;
    this.#callback = callback;
    this.#request = toRequestOptions(issuer, fetch);
    this.#client = { client_id: upstream.clientId };
    this.#server = loadOnce(async () => {
      const response = await oauth.discoveryRequest(issuer, { algorithm: "oidc", ...this.#request });
      return oauth.processDiscoveryResponse(issuer, response);
    });
  }

  /** The authorization request to the identity provider. */
  async toLoginUrl(secrets: LoginSecrets): Promise<string> {
    const { authorization_endpoint: endpoint } = await this.#findServer();
    if (endpoint === undefined) throw this.#unavailable(undefined);
    const url = await toAuthorizationUrl(new URL(endpoint), secrets, {
      ...this.#options.parameters,
      client_id: this.#options.clientId,
      redirect_uri: this.#callback,
      scope: ["openid", ...(this.#options.scopes ?? [])].join(" "),
      nonce: secrets.nonce,
    });
    return url.href;
  }

  /** Reads the callback of the provider and exchanges its code for the user's claims and tokens. */
  async readLogin(callback: URL, secrets: LoginSecrets): Promise<Omit<UpstreamLogin, "clientId">> {
    const server = await this.#findServer();
    try {
      const callbackParameters = oauth.validateAuthResponse(server, this.#client, callback, secrets.state);
      return await this.#exchangeCode(server, callbackParameters, secrets);
    } catch (error) {
      const isRefusal = error instanceof oauth.AuthorizationResponseError && error.error === "access_denied";
      if (isRefusal) throw new OAuthError("access_denied", "The identity provider refused the login.");
      throw this.#unavailable(error);
    }
  }

  async #exchangeCode(
    server: oauth.AuthorizationServer,
    callbackParameters: URLSearchParams,
    secrets: LoginSecrets,
  ) {
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      this.#client,
      this.#authentication(server),
      callbackParameters,
      this.#callback,
      secrets.verifier,
      this.#request,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, this.#client, response, {
      expectedNonce: secrets.nonce,
      requireIdToken: true,
    });
    await oauth.validateApplicationLevelSignature(server, response, this.#request);
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    if (claims === undefined) throw new Error("The identity provider issued no ID token.");
    return {
      subject: claims.sub,
      claims: claims as unknown as JsonObject,
      tokens: {
        accessToken: tokens.access_token,
        ...(tokens.refresh_token !== undefined && { refreshToken: tokens.refresh_token }),
        ...(tokens.expires_in !== undefined && { expiresIn: tokens.expires_in }),
      },
    };
  }

  #authentication({ token_endpoint_auth_methods_supported: methods }: oauth.AuthorizationServer) {
    const { clientSecret } = this.#options;
    if (clientSecret === undefined) return oauth.None();
    const takesBasic = methods === undefined || methods.includes("client_secret_basic");
    return takesBasic ? oauth.ClientSecretBasic(clientSecret) : oauth.ClientSecretPost(clientSecret);
  }

  async #findServer(): Promise<oauth.AuthorizationServer> {
    try {
      return await this.#server();
    } catch (error) {
      throw this.#unavailable(error);
    }
  }

  /**
   * Logs the reason and hides it from the client. The cause is not logged: it may hold tokens. At most one reason in
   * ten seconds is logged, because anybody can send a callback that fails.
   */
  #unavailable(error: unknown): OAuthError {
    const { message = "it has no authorization endpoint", code = "" } = (error ?? {}) as Partial<Failure>;
    if (this.#reports.isDue())
      console.error(`allspeak: the identity provider failed: ${message} ${code}`.trimEnd());
    return new OAuthError("temporarily_unavailable", "The identity provider is not available.");
  }
}

interface Failure {
  readonly message: string;
  readonly code: string;
}

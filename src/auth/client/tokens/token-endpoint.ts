import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  type DPoPHandle,
  isDPoPNonceError,
  type Client as OAuthClient,
  type ClientAuth as OAuthClientAuth,
  ResponseBodyError,
  type TokenEndpointRequestOptions,
  type TokenEndpointResponse,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";
import { AuthorizationError } from "../../../errors.ts";
import { toAsciiLine } from "../../ascii-line.ts";
import type { FetchContext } from "../discovery/fetch-metadata.ts";
import { toClientAuthentication } from "../identity/client-authentication.ts";
import type { OAuthClientInformation } from "../identity/client-information.ts";

/** The arguments of one request to a token endpoint. */
export interface TokenRequestParts {
  readonly server: AuthorizationServer;
  readonly client: OAuthClient;
  readonly authentication: OAuthClientAuth;
  readonly options: TokenEndpointRequestOptions;
}

/** The key that tokens are to be bound to. */
export interface TokenKey {
  readonly handle: DPoPHandle;
  /** Refuses tokens that are not bound to it. */
  readonly isRequired: boolean;
}

/** The token endpoint of one authorization server, as one client uses it. */
export class TokenEndpoint {
  readonly server: AuthorizationServer;
  readonly identity: OAuthClientInformation;
  readonly context: FetchContext;
  readonly #key: TokenKey | undefined;

  constructor(
    server: AuthorizationServer,
    identity: OAuthClientInformation,
    context: FetchContext,
    key?: TokenKey,
  ) {
    this.server = server;
    this.identity = identity;
    this.context = context;
    this.#key = key;
  }

  get client(): OAuthClient {
    return { client_id: this.identity.id };
  }

  /** Sends a token request and reads the response; retries once when the server requires a nonce in the proof. */
  async request(
    step: string,
    parameters: Readonly<Record<string, string>>,
    exchange: (call: TokenRequestParts) => Promise<TokenEndpointResponse>,
  ): Promise<TokenEndpointResponse> {
    const { trace } = this.context;
    const url = this.server.token_endpoint ?? "";
    const secrets = this.identity.secret ? [this.identity.secret] : [];
    try {
      const call = await this.#call(parameters, (body) => secrets.push(...secretsOf(body)));
      const tokens = await exchange(call).catch((error: unknown) => {
        if (!isDPoPNonceError(error)) throw error;
        trace.add(step, "refused", { url, detail: "requires a DPoP nonce" });
        return exchange(call);
      });
      // A token with characters that a header cannot hold could inject further headers.
      if (!/^[\x21-\x7e]+$/.test(tokens.access_token))
        throw new Error("the access token has characters that are not allowed in a header");
      this.#assertBound(tokens);
      trace.add(step, "ok", { url, detail: `token type ${toAsciiLine(tokens.token_type)}` });
      return tokens;
    } catch (error) {
      const failure = toFailure(error, this.server.issuer, secrets);
      trace.add(step, failure instanceof TokenRequestError ? "refused" : "failed", {
        url,
        detail: failure.message,
      });
      throw failure;
    }
  }

  async #call(
    parameters: Readonly<Record<string, string>>,
    onBody: (body: unknown) => void,
  ): Promise<TokenRequestParts> {
    const { fetch } = this.context;
    return {
      server: this.server,
      client: this.client,
      authentication: await toClientAuthentication(this.identity, this.server),
      options: {
        // No signal: if an abort lost the response, its tokens and a rotated refresh token would be lost too.
        additionalParameters: parameters,
        [customFetch]: (url, init) => {
          onBody(init.body);
          return fetch(url, init as RequestInit);
        },
        // SafeFetch checks the addresses.
        [allowInsecureRequests]: true,
        ...(this.#key && { DPoP: this.#key.handle }),
      },
    };
  }

  /** Refuses a token that anybody could use where one for this client's key is required, and one for another key. */
  #assertBound({ token_type: type }: TokenEndpointResponse): void {
    const isBound = type === "dpop";
    if (isBound ? this.#key !== undefined : this.#key?.isRequired !== true) return;
    const which = isBound ? "a key that this client does not have" : "no key, though the client requires it";
    // A refusal, so that a refresh that ends so is followed by a login, and not by the same refresh for ever.
    throw new TokenRequestError(
      `${toAsciiLine(this.server.issuer)} issued a token that is bound to ${which}.`,
      "invalid_token",
    );
  }
}

/** An OAuth error response of the authorization server (RFC 6749, section 5.2). */
export class TokenRequestError extends AuthorizationError {
  /** The error of RFC 6749, such as `invalid_grant`. */
  readonly error: string;

  constructor(message: string, error: string, options?: ErrorOptions) {
    super(message, "refused", options);
    this.name = "AuthorizationError";
    this.error = error;
  }
}

const temporaryErrors = ["temporarily_unavailable", "server_error"];

/** Only an OAuth error is a refusal. Other failures may be temporary, so no tokens are deleted because of them. */
function toFailure(error: unknown, issuer: string, secrets: readonly string[]): Error {
  if (error instanceof AuthorizationError) return error;
  const name = toAsciiLine(issuer);
  const toSafeText = (text: string) => toAsciiLine(redact(text, secrets));
  if (error instanceof ResponseBodyError && !temporaryErrors.includes(error.error)) {
    const description = error.error_description ? ` (${toSafeText(error.error_description)})` : "";
    // No cause: it holds the whole response.
    return new TokenRequestError(
      `${name} refused to issue a token: ${toSafeText(error.error)}${description}.`,
      error.error,
    );
  }
  if (error instanceof WWWAuthenticateChallengeError)
    return new TokenRequestError(`${name} does not know this client.`, "invalid_client", { cause: error });
  // No cause: it may hold the response, and a token in it.
  return new AuthorizationError(
    `${name} issued no token: ${toSafeText(error instanceof Error ? error.message : String(error))}.`,
    "unreachable",
  );
}

const secretParameters = [
  "refresh_token",
  "code",
  "code_verifier",
  "client_secret",
  "client_assertion",
  "assertion",
  "subject_token",
  "device_code",
];

// Shorter values are not secrets, and removing them would cut ordinary words out of a message.
const minSecretLength = 6;

/** The secrets in the form of a token request. */
function secretsOf(body: unknown): string[] {
  if (!(body instanceof URLSearchParams)) return [];
  return secretParameters
    .flatMap((name) => body.getAll(name))
    .filter(({ length }) => length >= minSecretLength);
}

/** Removes secrets from the text of an authorization server: some repeat the request in their errors. */
function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((line, secret) => line.replaceAll(secret, "(secret)"), text);
}

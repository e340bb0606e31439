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
import { toPrintable } from "../../printable.ts";
import type { FetchContext } from "../discovery/fetch-metadata.ts";
import { toClientAuthentication } from "../identity/client-authentication.ts";
import type { OAuthClientInformation } from "../identity/client-information.ts";

/** What one request to a token endpoint is made with. */
export interface TokenRequestParts {
  readonly server: AuthorizationServer;
  readonly client: OAuthClient;
  readonly authentication: OAuthClientAuth;
  readonly options: TokenEndpointRequestOptions;
}

/** Asks one authorization server for tokens, as one client. */
export class TokenEndpoint {
  readonly server: AuthorizationServer;
  readonly identity: OAuthClientInformation;
  readonly context: FetchContext;
  readonly #dpop: DPoPHandle | undefined;

  constructor(
    server: AuthorizationServer,
    identity: OAuthClientInformation,
    discovery: FetchContext,
    dpop?: DPoPHandle,
  ) {
    this.server = server;
    this.identity = identity;
    this.context = discovery;
    this.#dpop = dpop;
  }

  get client(): OAuthClient {
    return { client_id: this.identity.id };
  }

  /** Sends a request and reads its answer; once more when the server wants to see a nonce in the proof. */
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
        trace.add(step, "refused", { url, detail: "wants a DPoP nonce" });
        return exchange(call);
      });
      // What can't stand in a header is no token, and could be more headers.
      if (!/^[\x21-\x7e]+$/.test(tokens.access_token)) throw new Error("its token is malformed");
      trace.add(step, "ok", { url, detail: `token type ${toPrintable(tokens.token_type)}` });
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
        // Without a signal: a token that was given and not kept would be lost, and a rotated one with it.
        additionalParameters: parameters,
        [customFetch]: (url, init) => {
          onBody(init.body);
          return fetch(url, init as RequestInit);
        },
        // The addresses are checked where they are asked.
        [allowInsecureRequests]: true,
        ...(this.#dpop && { DPoP: this.#dpop }),
      },
    };
  }
}

/** The authorization server understood the request and said no. */
export class TokenRequestError extends AuthorizationError {
  /** The error of RFC 6749, such as `invalid_grant`. */
  readonly error: string;

  constructor(message: string, error: string, options?: ErrorOptions) {
    super(message, "refused", options);
    this.name = "AuthorizationError";
    this.error = error;
  }
}

const passing = ["temporarily_unavailable", "server_error"];

/** Only a clear no counts as one: anything else may be gone in a moment, and nothing is thrown away for it. */
function toFailure(error: unknown, issuer: string, secrets: readonly string[]): Error {
  if (error instanceof AuthorizationError) return error;
  const name = toPrintable(issuer);
  const say = (text: string) => toPrintable(redact(text, secrets));
  if (error instanceof ResponseBodyError && !passing.includes(error.error)) {
    const said = error.error_description ? ` (${say(error.error_description)})` : "";
    // Without its cause, which has all that was said.
    return new TokenRequestError(`${name} refused to give a token: ${say(error.error)}${said}.`, error.error);
  }
  if (error instanceof WWWAuthenticateChallengeError)
    return new TokenRequestError(`${name} does not know this client.`, "invalid_client", { cause: error });
  // Without its cause, which may hold what the server sent: a token, for one.
  return new AuthorizationError(
    `${name} gave no token: ${say(error instanceof Error ? error.message : String(error))}.`,
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

// Shorter ones would take ordinary words out of a message, and are no secrets.
const shortest = 6;

/** What of a form is for nobody but whom it is sent to. */
function secretsOf(body: unknown): string[] {
  if (!(body instanceof URLSearchParams)) return [];
  return secretParameters.flatMap((name) => body.getAll(name)).filter(({ length }) => length >= shortest);
}

/** A text of others without what they were shown: some repeat it when they say no. */
function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((line, secret) => line.replaceAll(secret, "(secret)"), text);
}

import {
  type AuthorizationServer,
  type ClientAuth,
  ClientSecretBasic,
  type CryptoKey,
  genericTokenEndpointRequest,
  None,
  PrivateKeyJwt,
  processGenericTokenEndpointResponse,
  ResponseBodyError,
  type TokenEndpointResponse,
} from "oauth4webapi";
import type { Principal } from "../../contract/caller/principal.ts";
import { AuthorizationError, UsageError } from "../../errors.ts";
import { type OAuthFetch, toRequestOptions } from "../fetch/request-options.ts";
import { toSecureUrl } from "../fetch/secure-url.ts";
import { fetchAuthorizationServerMetadata } from "./authorization-server-metadata.ts";
import { callerToken } from "./caller-token.ts";

const grantType = "urn:ietf:params:oauth:grant-type:token-exchange";
const accessToken = "urn:ietf:params:oauth:token-type:access_token";

export interface ExchangeTokenOptions {
  /** The party that the new token acts for: `ctx.principal`, or a token. */
  readonly subject: Principal | string | undefined;
  /** The authorization server that issues the new token. */
  readonly issuer: string;
  /** The token endpoint. Default: the one of the issuer's metadata. */
  readonly tokenEndpoint?: string;
  /** The id of this server at the authorization server. */
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Signs a client assertion instead of sending a secret. */
  readonly privateKey?: CryptoKey;
  /** The URL of the service to call. */
  readonly resource?: string;
  /** The name of the service to call, as the authorization server knows it. */
  readonly audience?: string;
  readonly scopes?: readonly string[];
  /** The type of the subject's token. Default: an access token. */
  readonly subjectTokenType?: string;
  readonly fetch?: OAuthFetch;
}

/** A token for another service. */
export interface ExchangedToken {
  readonly token: string;
  /** The type that it is sent with: `bearer` or `dpop`. */
  readonly type: string;
  /** Absent where the authorization server does not send it. */
  readonly expiresAt?: Date;
  readonly scopes?: readonly string[];
}

/**
 * Exchanges the caller's token for a token for another service (RFC 8693).
 *
 * The caller's own token is for this server only and must not be passed on
 * Throws AuthorizationError.
 *
 * basic/authorization#access-token-privilege-restriction (2025-11-25)
 */
export async function exchangeToken(options: ExchangeTokenOptions): Promise<ExchangedToken> {
  const subjectToken = toSubjectToken(options.subject);
  const server = await findAuthorizationServer(options);
  const endpoint = toSecureUrl("token_endpoint", server.token_endpoint ?? "");
  const client = { client_id: options.clientId };
  const parameters = toParameters(options, subjectToken);
  try {
    const response = await genericTokenEndpointRequest(
      server,
      client,
      toClientAuth(options),
      grantType,
      parameters,
      toRequestOptions(endpoint, options.fetch),
    );
    return toExchanged(await processGenericTokenEndpointResponse(server, client, response));
  } catch (cause) {
    const isRefused = cause instanceof ResponseBodyError;
    const why = isRefused ? `was refused: ${cause.error}` : "failed";
    throw new AuthorizationError(`The token exchange ${why}.`, isRefused ? "refused" : "unreachable", {
      cause,
    });
  }
}

function toSubjectToken(subject: ExchangeTokenOptions["subject"]): string {
  const token = typeof subject === "object" ? callerToken(subject) : subject;
  if (token) return token;
  throw new UsageError(
    "The subject of a token exchange must be a token, or a principal that was authenticated by a token.",
  );
}

async function findAuthorizationServer({
  issuer,
  tokenEndpoint,
  fetch,
}: ExchangeTokenOptions): Promise<AuthorizationServer> {
  if (tokenEndpoint !== undefined) return { issuer, token_endpoint: tokenEndpoint };
  try {
    return await fetchAuthorizationServerMetadata(toSecureUrl("issuer", issuer), fetch);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new AuthorizationError(`The metadata of ${issuer} could not be read.`, "unreachable", { cause });
  }
}

function toClientAuth({ clientSecret, privateKey }: ExchangeTokenOptions): ClientAuth {
  if (privateKey) return PrivateKeyJwt(privateKey);
  return clientSecret === undefined ? None() : ClientSecretBasic(clientSecret);
}

function toParameters(options: ExchangeTokenOptions, subjectToken: string): URLSearchParams {
  const { subjectTokenType = accessToken, resource, audience, scopes } = options;
  const parameters = new URLSearchParams({
    subject_token: subjectToken,
    subject_token_type: subjectTokenType,
    requested_token_type: accessToken,
  });
  if (resource !== undefined) parameters.set("resource", resource);
  if (audience !== undefined) parameters.set("audience", audience);
  if (scopes !== undefined) parameters.set("scope", scopes.join(" "));
  return parameters;
}

function toExchanged({ access_token, token_type, expires_in, scope }: TokenEndpointResponse): ExchangedToken {
  return {
    token: access_token,
    type: token_type,
    ...(expires_in !== undefined && { expiresAt: new Date(Date.now() + expires_in * 1000) }),
    ...(scope !== undefined && { scopes: scope.split(" ") }),
  };
}

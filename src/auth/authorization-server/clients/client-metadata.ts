import type { JWK } from "jose";
import {
  type ClientAuthentication,
  clientAuthenticationMethods,
} from "../../client-authentication-method.ts";
import { OAuthError } from "../http/oauth-error.ts";
import { findRedirectUriProblem } from "./redirect-uri.ts";

/** Client metadata (RFC 7591, section 2). */
export interface ClientMetadata {
  readonly client_name?: string;
  readonly client_uri?: string;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly token_endpoint_auth_method: ClientAuthentication;
  readonly scope?: string;
  readonly jwks?: { readonly keys: readonly JWK[] };
  readonly application_type?: string;
  readonly id_token_signed_response_alg?: string;
}

export interface RegisteredClient extends ClientMetadata {
  readonly client_id: string;
  readonly client_secret?: string;
  /** The hash of the secret, in stored clients. */
  readonly secret_hash?: string;
  /** In seconds since 1970. */
  readonly client_id_issued_at?: number;
  /** 0 for a secret that does not expire. */
  readonly client_secret_expires_at?: number;
}

const maxRedirects = 20;
const maxText = 2000;

/** Checks client metadata and fills in the defaults of RFC 7591; unknown members are dropped. */
export function readClientMetadata(given: unknown, defaultMethod: ClientAuthentication): ClientMetadata {
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw invalid("is not an object");
  const source = given as { readonly [name: string]: unknown };
  const method = readText(source, "token_endpoint_auth_method") ?? defaultMethod;
  if (!isAuthenticationMethod(method)) throw invalid("has an unknown token_endpoint_auth_method");
  const jwks = readKeys(source.jwks);
  if (method === "private_key_jwt" && jwks === undefined) throw invalid("has private_key_jwt, but no jwks");
  const grantTypes = readList(source, "grant_types") ?? ["authorization_code"];
  const redirects = readList(source, "redirect_uris") ?? [];
  assertRedirects(redirects, grantTypes);
  return {
    redirect_uris: redirects,
    grant_types: grantTypes,
    response_types: readList(source, "response_types") ?? ["code"],
    token_endpoint_auth_method: method,
    ...(jwks && { jwks }),
    ...readTexts(source),
  };
}

const texts = ["client_name", "client_uri", "scope", "application_type", "id_token_signed_response_alg"];

function readTexts(source: { readonly [name: string]: unknown }): { readonly [name: string]: string } {
  const read = texts.map((name) => [name, readText(source, name)] as const);
  return Object.fromEntries(read.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function assertRedirects(redirects: readonly string[], grantTypes: readonly string[]): void {
  if (grantTypes.includes("authorization_code") && redirects.length === 0) {
    throw new OAuthError(
      "invalid_redirect_uri",
      "A client with the grant type authorization_code needs redirect_uris.",
    );
  }
  if (redirects.length > maxRedirects) {
    throw new OAuthError("invalid_redirect_uri", `A client can have at most ${maxRedirects} redirect_uris.`);
  }
  for (const uri of redirects) {
    const problem = findRedirectUriProblem(uri);
    if (problem === undefined) continue;
    throw new OAuthError("invalid_redirect_uri", `The redirect URI ${JSON.stringify(uri)} ${problem}.`);
  }
}

function readText(source: { readonly [name: string]: unknown }, name: string): string | undefined {
  const value = source[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string" || value.length > maxText)
    throw invalid(`has a ${name} that is not a short string`);
  return value;
}

function readList(source: { readonly [name: string]: unknown }, name: string): string[] | undefined {
  const value = source[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every(isShortText)) return value;
  throw invalid(`has ${name} that is not a list of short strings`);
}

function isShortText(value: unknown): value is string {
  return typeof value === "string" && value.length <= maxText;
}

function isAuthenticationMethod(method: string): method is ClientAuthentication {
  return clientAuthenticationMethods.some((known) => known === method);
}

function readKeys(jwks: unknown): { keys: JWK[] } | undefined {
  if (jwks === undefined) return undefined;
  const keys: unknown = (jwks as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys) || !keys.every((key) => typeof key === "object" && key !== null && "kty" in key)) {
    throw invalid("has jwks without keys");
  }
  // A private or symmetric key in public metadata proves nothing.
  if (keys.some((key) => "d" in key || "k" in key)) throw invalid("has jwks with keys that are not public");
  return { keys };
}

function invalid(problem: string): OAuthError {
  return new OAuthError("invalid_client_metadata", `The client metadata ${problem}.`);
}

import type { JWK } from "jose";
import type { JsonObject } from "../../../lib/json.ts";
import type { State } from "../../../state/state.ts";

/** An identity provider (OpenID Connect) at which the proxy is registered by hand. */
export interface UpstreamOptions {
  /** Such as `https://accounts.google.com`. */
  readonly issuer: string;
  readonly clientId: string;
  /** None for a public client. */
  readonly clientSecret?: string;
  /** Beyond `openid`. Default none. */
  readonly scopes?: readonly string[];
  /** Further parameters of its authorization requests, such as `prompt`. */
  readonly parameters?: { readonly [name: string]: string };
}

/** Somebody whom the identity provider has vouched for. */
export interface UpstreamLogin {
  readonly subject: string;
  /** Those of the ID token. An `email` means nothing unless `email_verified` is true. */
  readonly claims: JsonObject;
  /** The provider's tokens, which never leave this process; keep them here if your tools need them. */
  readonly tokens: {
    readonly accessToken: string;
    readonly refreshToken?: string;
    readonly expiresIn?: number;
  };
  /** The client that the user allowed. */
  readonly clientId: string;
}

/** What becomes of a login; what is left out is as the provider and the client have it. */
export interface Admission {
  readonly subject?: string;
  /** Claims of the access tokens. */
  readonly claims?: JsonObject;
  /** The scopes that this user may have at most. */
  readonly scopes?: readonly string[];
}

/** A grant that is about to be refreshed. */
export interface CurrentAdmission {
  readonly subject: string;
  readonly claims: JsonObject;
  readonly scopes: readonly string[];
  readonly clientId: string;
}

export interface OAuthProxyOptions {
  /** Where clients and browsers reach the proxy, and its name as an issuer: `https://example.com`, or with a path. */
  readonly publicUrl: string;
  /** The endpoints that its tokens are for, such as `https://example.com/mcp`. No token is good anywhere else. */
  readonly resource: string | readonly string[];
  readonly upstream: UpstreamOptions;
  /**
   * Whether somebody may come in.
   *
   * There is no default: a provider such as Google vouches for the whole world.
   */
  readonly admit: (login: UpstreamLogin) => Admission | boolean | Promise<Admission | boolean>;
  /** Whether somebody may stay, asked at each refresh: the provider tells nobody that a user has left. */
  readonly mayRefresh?: (held: CurrentAdmission) => boolean | Promise<boolean>;
  /** Scopes that clients may ask for. Default none. */
  readonly scopes?: readonly string[];
  /** Where codes, logins and registrations are kept. Default: in memory. */
  readonly state?: State;
  /** Private keys, the one that signs first; the same on all nodes. Default: a new one, so that tokens end with the process. */
  readonly signingKeys?: readonly JWK[];
  /** How long an access token is good. Default 600. */
  readonly accessTokenSeconds?: number;
  /** How long one login lasts, however often it is refreshed. Default one day. */
  readonly loginSeconds?: number;
  /** Whether clients may register themselves. Default true. */
  readonly registration?: boolean;
  /** Registrations that are taken in an hour, of all clients together. Default 100. */
  readonly maxRegistrationsPerHour?: number;
  /** Whether the id of a client may be the address of a document about it. Default true. */
  readonly clientMetadataDocuments?: boolean;
  /** For requests to the identity provider. */
  readonly fetch?: (url: string, init?: RequestInit) => Promise<Response>;
}

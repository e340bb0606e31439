import type { JWK } from "jose";
import type { TrustProxy } from "../../../contract/caller/client-address.ts";
import type { OptionKinds } from "../../../contract/options.ts";
import type { JsonObject } from "../../../lib/json.ts";
import type { State } from "../../../state/state.ts";

/** The identity provider (OpenID Connect), where the proxy is a preregistered client. */
export interface UpstreamOptions {
  /** Such as `https://accounts.google.com`. */
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client. */
  readonly clientSecret?: string;
  /** Scopes in addition to `openid`. Default none. */
  readonly scopes?: readonly string[];
  /** Further parameters of authorization requests, such as `prompt`. */
  readonly parameters?: { readonly [name: string]: string };
}

/** A user whom the identity provider has authenticated. */
export interface UpstreamLogin {
  readonly subject: string;
  /** The claims of the ID token. Do not trust `email` unless `email_verified` is true. */
  readonly claims: JsonObject;
  /** The provider's tokens. The proxy does not store them; store them yourself if your tools need them. */
  readonly tokens: {
    readonly accessToken: string;
    readonly refreshToken?: string;
    readonly expiresIn?: number;
  };
  /** The client that the user consented to. */
  readonly clientId: string;
}

/** The result of a login; absent members are taken from the provider and the request. */
export interface Admission {
  readonly subject?: string;
  /** Further claims of the access tokens. */
  readonly claims?: JsonObject;
  /** The most that this user can be granted. */
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
  /** The public URL of the proxy, which is also its issuer: `https://example.com`, or with a path. */
  readonly publicUrl: string;
  /** The endpoints that its tokens are for, such as `https://example.com/mcp`. No token is valid elsewhere. */
  readonly resource: string | readonly string[];
  readonly upstream: UpstreamOptions;
  /**
   * Decides whether a user gets access.
   *
   * There is no default: a provider such as Google authenticates everybody.
   */
  readonly admit: (login: UpstreamLogin) => Admission | boolean | Promise<Admission | boolean>;
  /** Decides at each refresh whether a user keeps access: the provider does not report users who have left. */
  readonly mayRefresh?: (current: CurrentAdmission) => boolean | Promise<boolean>;
  /** Scopes that clients can request. Default none. */
  readonly scopes?: readonly string[];
  /** The store of codes, logins and registrations. Default: in memory. */
  readonly state?: State;
  /** Private keys, the same on all nodes; the first one signs. Default: a new key, so that tokens end with the process. */
  readonly signingKeys?: readonly JWK[];
  /** The lifetime of an access token. Default 600. */
  readonly accessTokenSeconds?: number;
  /** The lifetime of a login, refreshes included. Default one day. */
  readonly loginSeconds?: number;
  /** Allows dynamic client registration. Default true. */
  readonly registration?: boolean;
  /** The number of registrations per hour, of all clients together; one address may make a fifth of them. Default 100. */
  readonly maxRegistrationsPerHour?: number;
  /** The proxies in front that are trusted with the address of a client, as for `serveHttp`. Default none. */
  readonly trustProxy?: TrustProxy;
  /** Allows client ids that are the URL of a metadata document. Default true. */
  readonly clientMetadataDocuments?: boolean;
  /** Sends the requests to the identity provider. */
  readonly fetch?: (url: string, init?: RequestInit) => Promise<Response>;
}

const upstreamOptionKinds: OptionKinds<UpstreamOptions> = {
  issuer: "url",
  clientId: "string",
  clientSecret: "string",
  scopes: "strings",
  parameters: "object",
};

export const oauthProxyOptionKinds: OptionKinds<OAuthProxyOptions> = {
  publicUrl: "url",
  resource: "string|strings",
  upstream: upstreamOptionKinds,
  admit: "function",
  mayRefresh: "function",
  scopes: "strings",
  state: "object",
  signingKeys: "array",
  accessTokenSeconds: "number",
  loginSeconds: "number",
  registration: "boolean",
  maxRegistrationsPerHour: "number",
  trustProxy: "number|string",
  clientMetadataDocuments: "boolean",
  fetch: "function",
};

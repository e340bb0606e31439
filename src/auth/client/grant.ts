import type { AuthorizationServer, TokenEndpointResponse } from "oauth4webapi";
import type { AddressPolicy } from "../fetch/address-policy.ts";
import type { FetchContext } from "./discovery/fetch-metadata.ts";
import type { OAuthClientInformation } from "./identity/client-information.ts";
import type { TokenEndpoint } from "./tokens/token-endpoint.ts";

/** A request for tokens for one resource. */
export interface GrantRequest {
  readonly server: AuthorizationServer;
  /** The resource identifier, to be sent unchanged. */
  readonly resource: string;
  /** Undefined for the default scopes of the authorization server. */
  readonly scopes: readonly string[] | undefined;
  readonly context: FetchContext;
  /** The addresses that may be requested, and opened in a browser. */
  readonly policy: AddressPolicy;
  /** The redirect URIs that this client is already registered with. */
  redirectUris(): Promise<readonly string[]>;
  /** To be called before the user is sent to a login. Throws when the server has asked for too many. */
  beforeLogin(): void;
  /** Identifies this client at the authorization server; registers it where needed. */
  identify(options?: IdentifyOptions): Promise<OAuthClientInformation>;
  /** The token endpoint of the authorization server. */
  tokenEndpoint(identity: OAuthClientInformation): TokenEndpoint;
}

export interface IdentifyOptions {
  readonly redirectUri?: string | undefined;
  /** Allows a request without a client id, where an assertion proves who asks. */
  readonly allowAnonymous?: boolean | undefined;
}

export interface GrantResult {
  readonly identity: OAuthClientInformation;
  readonly tokens: TokenEndpointResponse;
}

/** A way to obtain tokens: an OAuth grant type. */
export interface Grant {
  /** The grant types that the client registers for; tokens are stored under the first. */
  readonly types: readonly [string, ...string[]];
  /** Requests refresh tokens, which save a login; grants without a login do not need them. */
  readonly wantsRefresh: boolean;
  obtain(request: GrantRequest): Promise<GrantResult>;
}

/** The parameters of every token request. */
export function tokenParameters({ resource, scopes }: GrantRequest): Record<string, string> {
  return { resource, ...(scopes && { scope: scopes.join(" ") }) };
}

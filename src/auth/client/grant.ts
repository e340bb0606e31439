import type { AuthorizationServer, TokenEndpointResponse } from "oauth4webapi";
import type { AddressPolicy } from "./address.ts";
import type { ClientIdentity } from "./client-identity.ts";
import type { Discovery } from "./fetch-metadata.ts";
import type { TokenEndpoint } from "./token-endpoint.ts";

/** What a token is wanted for. */
export interface GrantRequest {
  readonly server: AuthorizationServer;
  /** The identifier of the resource, to be sent as it is. */
  readonly resource: string;
  /** Undefined for whatever the authorization server gives by itself. */
  readonly scopes: readonly string[] | undefined;
  readonly discovery: Discovery;
  /** Which addresses may be asked, and shown to a user. */
  readonly policy: AddressPolicy;
  /** The redirect addresses that this client is registered with already. */
  redirectUris(): Promise<readonly string[]>;
  /** Who this client is; registers it where that is needed. */
  identify(wish?: IdentityWish): Promise<ClientIdentity>;
  /** The token endpoint of the authorization server. */
  endpoint(identity: ClientIdentity): TokenEndpoint;
}

export interface IdentityWish {
  readonly redirectUri?: string | undefined;
  /** Whether it will do to be nobody, where who asks is proven otherwise. */
  readonly mayBeNobody?: boolean | undefined;
}

export interface Granted {
  readonly identity: ClientIdentity;
  readonly tokens: TokenEndpointResponse;
}

/** A way to obtain tokens. */
export interface Grant {
  /** The grant types that a client registers for; tokens are kept under the first. */
  readonly types: readonly [string, ...string[]];
  /** Whether refresh tokens are of use: where nobody has to log in, they are not. */
  readonly wantsRefresh: boolean;
  obtain(request: GrantRequest): Promise<Granted>;
}

/** The parameters that every request for a token carries. */
export function tokenParameters({ resource, scopes }: GrantRequest): Record<string, string> {
  return { resource, ...(scopes && { scope: scopes.join(" ") }) };
}

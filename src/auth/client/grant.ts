import type { AuthorizationServer, TokenEndpointResponse } from "oauth4webapi";
import type { AddressPolicy } from "../fetch/address-policy.ts";
import type { FetchContext } from "./discovery/fetch-metadata.ts";
import type { OAuthClientInformation } from "./identity/client-information.ts";
import type { TokenEndpoint } from "./tokens/token-endpoint.ts";

/** What a token is wanted for. */
export interface GrantRequest {
  readonly server: AuthorizationServer;
  /** The identifier of the resource, to be sent as it is. */
  readonly resource: string;
  /** Undefined for whatever the authorization server gives by itself. */
  readonly scopes: readonly string[] | undefined;
  readonly context: FetchContext;
  /** Which addresses may be asked, and shown to a user. */
  readonly policy: AddressPolicy;
  /** The redirect addresses that this client is registered with already. */
  redirectUris(): Promise<readonly string[]>;
  /** Who this client is; registers it where that is needed. */
  identify(wish?: IdentifyOptions): Promise<OAuthClientInformation>;
  /** The token endpoint of the authorization server. */
  tokenEndpoint(identity: OAuthClientInformation): TokenEndpoint;
}

export interface IdentifyOptions {
  readonly redirectUri?: string | undefined;
  /** Whether it will do to be nobody, where who asks is proven otherwise. */
  readonly allowAnonymous?: boolean | undefined;
}

export interface GrantResult {
  readonly identity: OAuthClientInformation;
  readonly tokens: TokenEndpointResponse;
}

/** A way to obtain tokens. */
export interface Grant {
  /** The grant types that a client registers for; tokens are kept under the first. */
  readonly types: readonly [string, ...string[]];
  /** Whether refresh tokens are of use: where nobody has to log in, they are not. */
  readonly wantsRefresh: boolean;
  obtain(request: GrantRequest): Promise<GrantResult>;
}

/** The parameters that every request for a token carries. */
export function tokenParameters({ resource, scopes }: GrantRequest): Record<string, string> {
  return { resource, ...(scopes && { scope: scopes.join(" ") }) };
}

import { clientAuthenticationMethods } from "../client-authentication-method.ts";
import { assertionAlgorithms } from "./clients/client-authentication.ts";
import { dpopAlgorithms } from "./tokens/dpop-proof.ts";

/** The paths of endpoints below the issuer's URL. */
export const endpointPaths = {
  authorize: "/authorize",
  consent: "/consent",
  token: "/token",
  jwks: "/jwks",
  register: "/register",
  introspect: "/introspect",
  revoke: "/revoke",
  userinfo: "/userinfo",
  deviceAuthorization: "/device_authorization",
  device: "/device",
} as const;

export interface AuthorizationServerMetadataOptions {
  readonly issuer: string;
  readonly scopes: readonly string[];
  readonly grantTypes: readonly string[];
  readonly registration: boolean;
  readonly documents: boolean;
}

/** The authorization server metadata that all issuers share (RFC 8414). */
export function toAuthorizationServerMetadata(options: AuthorizationServerMetadataOptions): {
  readonly [name: string]: unknown;
} {
  const { issuer, registration } = options;
  return {
    issuer,
    authorization_endpoint: issuer + endpointPaths.authorize,
    token_endpoint: issuer + endpointPaths.token,
    jwks_uri: issuer + endpointPaths.jwks,
    ...(registration && { registration_endpoint: issuer + endpointPaths.register }),
    scopes_supported: options.scopes,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: options.grantTypes,
    token_endpoint_auth_methods_supported: clientAuthenticationMethods,
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: options.documents,
    dpop_signing_alg_values_supported: dpopAlgorithms,
  };
}

/** The well-known paths of an issuer's metadata (RFC 8414, section 3; OpenID Connect Discovery, section 4). */
export function metadataPaths(issuer: string): { oauth: readonly string[]; openid: readonly string[] } {
  const { pathname } = new URL(issuer);
  const path = pathname === "/" ? "" : pathname;
  return {
    oauth: [`/.well-known/oauth-authorization-server${path}`],
    openid: [
      ...new Set([`/.well-known/openid-configuration${path}`, `${path}/.well-known/openid-configuration`]),
    ],
  };
}

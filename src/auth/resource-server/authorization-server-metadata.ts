import { type AuthorizationServer, discoveryRequest, processDiscoveryResponse } from "oauth4webapi";
import { type OAuthFetch, toRequestOptions } from "../fetch/request-options.ts";
import { VerifierUnavailableError } from "./verifier-interface.ts";

/**
 * Reads the metadata of an authorization server (RFC 8414, or OpenID Connect Discovery).
 *
 * Rejects with VerifierUnavailableError.
 */
export async function fetchAuthorizationServerMetadata(
  issuer: URL,
  fetch?: OAuthFetch,
): Promise<AuthorizationServer> {
  const failures: unknown[] = [];
  for (const algorithm of ["oauth2", "oidc"] as const) {
    try {
      const response = await discoveryRequest(issuer, { algorithm, ...toRequestOptions(issuer, fetch) });
      return await processDiscoveryResponse(issuer, response);
    } catch (failure) {
      failures.push(failure);
    }
  }
  throw new VerifierUnavailableError(`The metadata of ${issuer.href} could not be read.`, {
    cause: new AggregateError(failures),
  });
}

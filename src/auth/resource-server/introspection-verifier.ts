import {
  type AuthorizationServer,
  ClientSecretBasic,
  introspectionRequest,
  processIntrospectionResponse,
} from "oauth4webapi";
import { RecentMap } from "../../lib/bounded/recent-map.ts";
import { sha256 } from "../../lib/encoding/sha256.ts";
import { loadOnce } from "../fetch/load-once.ts";
import { type OAuthFetch, toRequestOptions } from "../fetch/request-options.ts";
import { toSecureUrl } from "../fetch/secure-url.ts";
import { fetchAuthorizationServerMetadata } from "./authorization-server-metadata.ts";
import type { Claims } from "./claims.ts";
import {
  type TokenVerification,
  type TokenVerifier,
  unverified,
  VerifierUnavailableError,
} from "./verifier-interface.ts";

/** The credentials and the endpoint of introspection requests. */
export interface IntrospectionOptions {
  /** The id of this server at the authorization server. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** The introspection endpoint. Default: the one of the issuer's metadata. */
  readonly endpoint?: string;
}

/** A token that is not active stays so, but for clocks that differ. */
const inactiveMs = 60_000;
const maxInactive = 10_000;

/**
 * Verifies opaque tokens by asking their issuer (RFC 7662).
 *
 * An active token is asked about each time, since it may be revoked. One that is not active is remembered for a
 * minute, so that a client that goes on sending it costs the issuer nothing.
 */
export class IntrospectionVerifier implements TokenVerifier {
  readonly issuers: readonly string[];
  readonly #options: IntrospectionOptions;
  readonly #fetch: OAuthFetch | undefined;
  readonly #findServer: () => Promise<AuthorizationServer>;
  /** By the hash of the token. */
  readonly #inactive = new RecentMap<true>(maxInactive);

  constructor(issuer: string, options: IntrospectionOptions, fetch: OAuthFetch | undefined) {
    this.issuers = [issuer];
    this.#options = options;
    this.#fetch = fetch;
    const url = toSecureUrl("issuer", issuer);
    const { endpoint } = options;
    const known = endpoint && { issuer, introspection_endpoint: toSecureUrl("endpoint", endpoint).href };
    this.#findServer = loadOnce(async () => known || fetchAuthorizationServerMetadata(url, fetch));
  }

  async verify(token: string): Promise<TokenVerification> {
    const key = await sha256(token);
    if (this.#inactive.get(key)) return unverified("The token is not valid.");
    const { active, ...claims } = await this.#introspect(token);
    if (active === true) return { ok: true, claims: claims as Claims };
    this.#inactive.set(key, true, inactiveMs);
    return unverified("The token is not valid.");
  }

  async #introspect(token: string): Promise<Record<string, unknown>> {
    const { clientId, clientSecret } = this.#options;
    try {
      const server = await this.#findServer();
      const endpoint = toSecureUrl("introspection_endpoint", server.introspection_endpoint ?? "");
      const client = { client_id: clientId };
      const response = await introspectionRequest(server, client, ClientSecretBasic(clientSecret), token, {
        ...toRequestOptions(endpoint, this.#fetch),
        additionalParameters: { token_type_hint: "access_token" },
      });
      return await processIntrospectionResponse(server, client, response);
    } catch (error) {
      throw error instanceof VerifierUnavailableError
        ? error
        : new VerifierUnavailableError("The introspection request to the authorization server failed.", {
            cause: error,
          });
    }
  }
}

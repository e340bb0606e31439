import {
  type AuthorizationServer,
  ClientSecretBasic,
  introspectionRequest,
  processIntrospectionResponse,
} from "oauth4webapi";
import { loadOnce } from "../fetch/load-once.ts";
import { type FetchFunction, toRequestOptions } from "../fetch/request-options.ts";
import { toSecureUrl } from "../fetch/secure-url.ts";
import { fetchAuthorizationServerMetadata } from "./authorization-server-metadata.ts";
import type { Claims } from "./claims.ts";
import {
  type TokenVerification,
  type TokenVerifier,
  unverified,
  VerifierUnavailableError,
} from "./token-verifier.ts";

/** How the authorization server is asked about tokens. */
export interface IntrospectionOptions {
  /** Who this server is to the authorization server. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where to ask. Default: where the metadata of the issuer says. */
  readonly endpoint?: string;
}

/** Tokens that only their issuer can read (RFC 7662). */
export class IntrospectionVerifier implements TokenVerifier {
  readonly issuers: readonly string[];
  readonly #options: IntrospectionOptions;
  readonly #fetch: FetchFunction | undefined;
  readonly #find: () => Promise<AuthorizationServer>;

  constructor(issuer: string, options: IntrospectionOptions, fetch: FetchFunction | undefined) {
    this.issuers = [issuer];
    this.#options = options;
    this.#fetch = fetch;
    const url = toSecureUrl("issuer", issuer);
    const { endpoint } = options;
    const known = endpoint && { issuer, introspection_endpoint: toSecureUrl("endpoint", endpoint).href };
    this.#find = loadOnce(async () => known || fetchAuthorizationServerMetadata(url, fetch));
  }

  async verify(token: string): Promise<TokenVerification> {
    const { active, ...claims } = await this.#ask(token);
    if (active !== true) return unverified("The token is not valid.");
    return { ok: true, claims: claims as Claims };
  }

  async #ask(token: string): Promise<Record<string, unknown>> {
    const { clientId, clientSecret } = this.#options;
    try {
      const server = await this.#find();
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
        : new VerifierUnavailableError("The authorization server could not be asked about a token.", {
            cause: error,
          });
    }
  }
}

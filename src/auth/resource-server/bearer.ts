import type {
  Authenticator,
  AuthRefusal,
  AuthResult,
  ProtectedEndpoints,
  ProtectedRequest,
  ServerAuth,
} from "../../contract/http-auth.ts";
import type { Principal } from "../../contract/principal.ts";
import { type BearerOptions, type BearerSettings, toBearerSettings } from "./bearer-options.ts";
import { rememberCallerToken } from "./caller-token.ts";
import { type ChallengeError, toChallengeResponse } from "./challenge.ts";
import { type Claims, findClaimsProblem, readBoundThumbprint, toPrincipal } from "./claims.ts";
import { type AuthScheme, readCredentials } from "./credentials.ts";
import { type DpopVerification, DpopVerifier } from "./dpop-verifier.ts";
import { ProtectedResource } from "./protected-resource.ts";
import { VerifierUnavailableError } from "./token-verifier.ts";

/**
 * Lets in who brings an access token that was issued for this server (OAuth 2.1, RFC 6750, RFC 9728).
 *
 * Give it to `serveHttp`, `createNodeHandler` or `createFetchHandler` as `auth`. Throws
 * UsageError for options that can't be right.
 */
export function bearer(options: BearerOptions): ServerAuth {
  const settings = toBearerSettings(options);
  return { protect: (place) => new BearerAuthenticator(settings, place) };
}

interface Sent {
  readonly scheme: AuthScheme;
  readonly token: string;
}

/** What is wrong with a request. */
interface Fault {
  readonly scheme: AuthScheme;
  readonly error?: ChallengeError;
  readonly message: string;
  readonly scopes?: readonly string[];
  readonly headers?: AuthRefusal["headers"];
}

/** Lets in who has a token for one place. */
class BearerAuthenticator implements Authenticator {
  readonly documents: ReadonlyMap<string, string>;
  readonly #settings: BearerSettings;
  readonly #resource: ProtectedResource;
  readonly #proofs: DpopVerifier;

  constructor(settings: BearerSettings, place: ProtectedEndpoints) {
    this.#settings = settings;
    this.#resource = new ProtectedResource(place, settings.audience);
    this.#proofs = new DpopVerifier(place.values, settings.dpop, settings.clockSkew);
    const { issuers } = settings.verifier;
    this.documents = issuers.length === 0 ? new Map() : this.#resource.documents(toMetadata(settings));
  }

  async authenticate(visit: ProtectedRequest): Promise<AuthResult> {
    try {
      const credentials = readCredentials(visit);
      const scheme = this.#settings.dpop.required ? "DPoP" : "Bearer";
      if (credentials.kind === "none") return this.#refuse(visit, { scheme, message: "A token is needed." });
      if (credentials.kind === "malformed")
        return this.#refuse(visit, { scheme, error: "invalid_request", message: credentials.problem });
      return await this.#checkToken(visit, credentials);
    } catch (cause) {
      if (!(cause instanceof VerifierUnavailableError)) throw cause;
      const message = "The token could not be checked; try again later.";
      return { ok: false, refusal: { status: 503, headers: { "retry-after": "5" }, message, cause } };
    }
  }

  stepUp({ claims = {} }: Principal, scopes: readonly string[]): AuthRefusal {
    return this.#toRefusal(undefined, {
      scheme: readBoundThumbprint(claims) === undefined ? "Bearer" : "DPoP",
      error: "insufficient_scope",
      message: "The call needs more scopes than the token has.",
      scopes: [...new Set([...this.#settings.scopes, ...scopes])],
    });
  }

  async #checkToken(visit: ProtectedRequest, sent: Sent): Promise<AuthResult> {
    const { verifier, clockSkew, impliedScopes, scopes } = this.#settings;
    const { audiences } = this.#resource;
    const { scheme, token } = sent;
    const verified = await verifier.verify(token, { audience: audiences, request: visit });
    if (!verified.ok)
      return this.#refuse(visit, { scheme, error: "invalid_token", message: verified.problem });
    const { claims } = verified;
    const problem = findClaimsProblem(claims, { audiences, issuers: verifier.issuers, clockSkew });
    if (problem !== undefined)
      return this.#refuse(visit, { scheme, error: "invalid_token", message: problem });
    const proof = await this.#checkBinding(visit, sent, claims);
    if (!proof.ok) return this.#refuse(visit, { ...proof, scheme: "DPoP" });
    const principal = toPrincipal(claims, verifier.issuers[0] ?? audiences[0] ?? "", impliedScopes);
    if (!scopes.every((scope) => principal.scopes?.includes(scope))) {
      const message = "The token lacks scopes that this server needs.";
      return this.#refuse(visit, { scheme, error: "insufficient_scope", message, scopes });
    }
    rememberCallerToken(principal, token);
    return { ok: true, principal, ...(proof.headers && { headers: proof.headers }) };
  }

  /** A token that is bound to a key is good only with a proof, or it would be good to any thief. */
  async #checkBinding(
    visit: ProtectedRequest,
    { scheme, token }: Sent,
    claims: Claims,
  ): Promise<DpopVerification> {
    const key = readBoundThumbprint(claims);
    if (key !== undefined && scheme === "DPoP") {
      return this.#proofs.check({ request: visit, url: this.#resource.urlOf(visit), token, key });
    }
    const unbound = (message: string): DpopVerification => ({ ok: false, error: "invalid_token", message });
    if (key !== undefined) return unbound("The token is bound to a key, so it needs a proof.");
    if (scheme === "DPoP" || this.#settings.dpop.required) return unbound("The token is not bound to a key.");
    return { ok: true };
  }

  #refuse(visit: ProtectedRequest, fault: Fault): AuthResult {
    return { ok: false, refusal: this.#toRefusal(visit, fault) };
  }

  #toRefusal(
    visit: ProtectedRequest | undefined,
    { scopes = this.#settings.scopes, headers, ...fault }: Fault,
  ): AuthRefusal {
    const isPublished = this.documents.size > 0;
    const metadataUrl = isPublished ? this.#resource.metadataUrl(visit?.path) : undefined;
    return toChallengeResponse(
      { ...fault, scopes, metadataUrl, algorithms: this.#proofs.algorithms },
      headers,
    );
  }
}

function toMetadata({ verifier, supportedScopes, dpop }: BearerSettings) {
  return {
    authorization_servers: verifier.issuers,
    ...(supportedScopes.length > 0 && { scopes_supported: supportedScopes }),
    bearer_methods_supported: ["header"],
    dpop_signing_alg_values_supported: dpop.algorithms,
    ...(dpop.required && { dpop_bound_access_tokens_required: true }),
  };
}

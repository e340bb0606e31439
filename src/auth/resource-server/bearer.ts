import type { Principal } from "../../contract/caller/principal.ts";
import type {
  Authenticator,
  AuthRefusal,
  AuthResult,
  OneTimeValues,
  ProtectedRequest,
  ServerAuth,
} from "../../contract/http-auth.ts";
import { type BearerOptions, type BearerSettings, toBearerSettings } from "./bearer-options.ts";
import { rememberCallerToken } from "./caller-token.ts";
import { type ChallengeError, toChallengeResponse } from "./challenge.ts";
import { type Claims, findClaimsProblem, readBoundThumbprint, toPrincipal } from "./claims.ts";
import { type AuthScheme, readCredentials } from "./credentials.ts";
import { type DpopVerification, DpopVerifier } from "./dpop-verifier.ts";
import { ProtectedResource } from "./protected-resource.ts";
import { VerifierUnavailableError } from "./token-verifier.ts";

/**
 * Admits callers whose access token was issued for this server (OAuth 2.1, RFC 6750, RFC 9728).
 *
 * Pass it to `serveHttp`, `createNodeHandler` or `createFetchHandler` as `auth`. Throws UsageError
 * for options that contradict each other.
 */
export function bearer(options: BearerOptions): ServerAuth {
  const settings = toBearerSettings(options);
  return {
    protect(endpoints) {
      const resource = new ProtectedResource(endpoints, settings.audience);
      return (values) => new BearerAuthenticator(settings, resource, values);
    },
  };
}

interface PresentedToken {
  readonly scheme: AuthScheme;
  readonly token: string;
}

/** The reason for a refusal, without what every challenge of this server holds. */
interface RefusalReason {
  readonly scheme: AuthScheme;
  readonly error?: ChallengeError;
  readonly message: string;
  readonly scopes?: readonly string[];
  readonly headers?: AuthRefusal["headers"];
}

/** Checks the tokens of requests to one set of endpoints. */
class BearerAuthenticator implements Authenticator {
  readonly documents: ReadonlyMap<string, string>;
  readonly #settings: BearerSettings;
  readonly #resource: ProtectedResource;
  readonly #proofs: DpopVerifier;

  constructor(settings: BearerSettings, resource: ProtectedResource, values: OneTimeValues) {
    this.#settings = settings;
    this.#resource = resource;
    this.#proofs = new DpopVerifier(values, settings.dpop, settings.clockSkew);
    const { issuers } = settings.verifier;
    this.documents = issuers.length === 0 ? new Map() : resource.documents(toMetadata(settings));
  }

  async authenticate(request: ProtectedRequest): Promise<AuthResult> {
    try {
      const credentials = readCredentials(request);
      const scheme = this.#settings.dpop.required ? "DPoP" : "Bearer";
      if (credentials.kind === "none")
        return this.#refuse(request, { scheme, message: "A token is needed." });
      if (credentials.kind === "malformed")
        return this.#refuse(request, { scheme, error: "invalid_request", message: credentials.problem });
      return await this.#checkToken(request, credentials);
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
      message: "The call needs scopes that the token does not have.",
      scopes: [...new Set([...this.#settings.scopes, ...scopes])],
    });
  }

  async #checkToken(request: ProtectedRequest, presented: PresentedToken): Promise<AuthResult> {
    const { verifier, clockSkew, impliedScopes, scopes } = this.#settings;
    const { audiences } = this.#resource;
    const { scheme, token } = presented;
    const verified = await verifier.verify(token, { audience: audiences, request });
    if (!verified.ok)
      return this.#refuse(request, { scheme, error: "invalid_token", message: verified.problem });
    const { claims } = verified;
    const problem = findClaimsProblem(claims, { audiences, issuers: verifier.issuers, clockSkew });
    if (problem !== undefined)
      return this.#refuse(request, { scheme, error: "invalid_token", message: problem });
    const proof = await this.#checkBinding(request, presented, claims);
    if (!proof.ok) return this.#refuse(request, { ...proof, scheme: "DPoP" });
    const fallbackIssuer = verifier.issuers[0] ?? audiences[0] ?? "";
    const principal = await toPrincipal(token, claims, { fallbackIssuer, implied: impliedScopes });
    if (!scopes.every((scope) => principal.scopes?.includes(scope))) {
      const message = "The token does not have the scopes that this server requires.";
      return this.#refuse(request, { scheme, error: "insufficient_scope", message, scopes });
    }
    rememberCallerToken(principal, token);
    return { ok: true, principal, ...(proof.headers && { headers: proof.headers }) };
  }

  /** Requires a DPoP proof for a token that is bound to a key: without it a stolen token would be accepted. */
  async #checkBinding(
    request: ProtectedRequest,
    { scheme, token }: PresentedToken,
    claims: Claims,
  ): Promise<DpopVerification> {
    const key = readBoundThumbprint(claims);
    if (key !== undefined && scheme === "DPoP") {
      return this.#proofs.check({ request, url: this.#resource.urlOf(request), token, key });
    }
    const unbound = (message: string): DpopVerification => ({ ok: false, error: "invalid_token", message });
    if (key !== undefined) return unbound("The token is bound to a key and needs a DPoP proof.");
    if (scheme === "DPoP" || this.#settings.dpop.required) return unbound("The token is not bound to a key.");
    return { ok: true };
  }

  #refuse(request: ProtectedRequest, reason: RefusalReason): AuthResult {
    return { ok: false, refusal: this.#toRefusal(request, reason) };
  }

  #toRefusal(
    request: ProtectedRequest | undefined,
    { scopes = this.#settings.scopes, headers, ...reason }: RefusalReason,
  ): AuthRefusal {
    const isPublished = this.documents.size > 0;
    const metadataUrl = isPublished ? this.#resource.metadataUrl(request) : undefined;
    return toChallengeResponse(
      { ...reason, scopes, metadataUrl, algorithms: this.#proofs.algorithms },
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

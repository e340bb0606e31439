import type { Principal } from "../../contract/caller/principal.ts";
import type {
  Authenticator,
  AuthRefusal,
  AuthResult,
  OneTimeValues,
  ProtectedRequest,
  ServerAuth,
} from "../../contract/http-auth.ts";
import { attempt, type MaybePromise } from "../../lib/async/maybe-promise.ts";
import { type BearerOptions, type BearerSettings, toBearerSettings } from "./bearer-options.ts";
import { rememberCallerToken } from "./caller-token.ts";
import { type ChallengeError, toChallengeResponse } from "./challenge.ts";
import {
  type Claims,
  findClaimsProblem,
  findTimeProblem,
  readBoundThumbprint,
  toPrincipal,
} from "./claims.ts";
import { type AuthScheme, readCredentials } from "./credentials.ts";
import { type DpopVerification, DpopVerifier } from "./dpop-verifier.ts";
import { ProtectedResource } from "./protected-resource.ts";
import {
  type TokenVerification,
  type VerifiedToken,
  VerifierUnavailableError,
} from "./verifier-interface.ts";

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
  /** The results for tokens that were admitted without a proof: only the time can change them. */
  readonly #admitted = new WeakMap<VerifiedToken, AuthResult>();

  constructor(settings: BearerSettings, resource: ProtectedResource, values: OneTimeValues) {
    this.#settings = settings;
    this.#resource = resource;
    this.#proofs = new DpopVerifier(values, settings.dpop, settings.clockSkew);
    const { issuers } = settings.verifier;
    this.documents = issuers.length === 0 ? new Map() : resource.documents(toMetadata(settings));
  }

  authenticate(request: ProtectedRequest): MaybePromise<AuthResult> {
    const credentials = readCredentials(request);
    const scheme = this.#settings.dpop.required ? "DPoP" : "Bearer";
    if (credentials.kind === "none") return this.#refuse(request, { scheme, message: "A token is needed." });
    if (credentials.kind === "malformed")
      return this.#refuse(request, { scheme, error: "invalid_request", message: credentials.problem });
    return attempt(
      () =>
        this.#settings.verifier.verify(credentials.token, { audience: this.#resource.audiences, request }),
      (verification) => this.#check(request, credentials, verification),
      refuseForNow,
    );
  }

  stepUp(principal: Principal, scopes: readonly string[]): AuthRefusal {
    const missing = findMissing(principal, scopes).join(" ");
    return this.#toRefusal(undefined, {
      scheme: readBoundThumbprint(principal.claims ?? {}) === undefined ? "Bearer" : "DPoP",
      error: "insufficient_scope",
      message: `The call needs scopes that the token does not have: ${missing}`,
      scopes: [...new Set([...this.#settings.scopes, ...scopes])],
    });
  }

  #check(
    request: ProtectedRequest,
    presented: PresentedToken,
    verification: TokenVerification,
  ): MaybePromise<AuthResult> {
    const { scheme } = presented;
    if (!verification.ok) return this.#refuseToken(request, scheme, verification.problem);
    const problem = findTimeProblem(verification.claims, this.#settings.clockSkew);
    if (problem !== undefined) return this.#refuseToken(request, scheme, problem);
    const known = scheme === "Bearer" ? this.#admitted.get(verification) : undefined;
    return known ?? this.#checkClaims(request, presented, verification);
  }

  async #checkClaims(
    request: ProtectedRequest,
    presented: PresentedToken,
    verification: VerifiedToken,
  ): Promise<AuthResult> {
    const { verifier, impliedScopes, scopes } = this.#settings;
    const { audiences } = this.#resource;
    const { scheme, token } = presented;
    const { claims } = verification;
    const problem = findClaimsProblem(claims, { audiences, issuers: verifier.issuers });
    if (problem !== undefined) return this.#refuseToken(request, scheme, problem);
    const proof = await this.#checkBinding(request, presented, claims);
    if (!proof.ok) return this.#refuse(request, { ...proof, scheme: "DPoP" });
    const fallbackIssuer = verifier.issuers[0] ?? audiences[0] ?? "";
    const principal = await toPrincipal(token, claims, { fallbackIssuer, implied: impliedScopes });
    const missing = findMissing(principal, scopes);
    if (missing.length > 0) {
      const message = `The token does not have all scopes that this server requires; missing: ${missing.join(" ")}`;
      return this.#refuse(request, { scheme, error: "insufficient_scope", message, scopes });
    }
    rememberCallerToken(principal, token);
    const result: AuthResult = { ok: true, principal, ...(proof.headers && { headers: proof.headers }) };
    if (scheme === "Bearer") this.#admitted.set(verification, result);
    return result;
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

  #refuseToken(request: ProtectedRequest, scheme: AuthScheme, message: string): AuthResult {
    return this.#refuse(request, { scheme, error: "invalid_token", message });
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

function findMissing(principal: Principal, scopes: readonly string[]): readonly string[] {
  return scopes.filter((scope) => !principal.scopes?.includes(scope));
}

/** The refusal while tokens can't be checked. */
function refuseForNow(cause: unknown): AuthResult {
  if (!(cause instanceof VerifierUnavailableError)) throw cause;
  const message = "The token could not be checked; try again later.";
  return { ok: false, refusal: { status: 503, headers: { "retry-after": "5" }, message, cause } };
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

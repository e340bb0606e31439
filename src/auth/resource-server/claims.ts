import type { Principal } from "../../contract/caller/principal.ts";
import { sha256 } from "../../lib/encoding/sha256.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";

/** The claims of a token, named as in a JSON Web Token (RFC 7519). */
export interface Claims extends JsonObject {
  readonly iss?: string;
  readonly sub?: string;
  /** The resources that the token was issued for. */
  readonly aud?: string | readonly string[];
  /** Seconds since 1970. */
  readonly exp?: number;
  readonly nbf?: number;
  readonly client_id?: string;
  /** Separated by spaces. */
  readonly scope?: string;
}

/** The claims that a token must have to be accepted here. */
export interface ExpectedClaims {
  readonly audiences: readonly string[];
  /** Empty when the verifier alone decides about the issuer. */
  readonly issuers: readonly string[];
}

/** Finds why a verified token is not accepted at this time; undefined when it is. */
export function findTimeProblem({ exp, nbf }: Claims, clockSkew: number): string | undefined {
  const now = Date.now() / 1000;
  if (exp !== undefined && !(Number(exp) > now - clockSkew)) return "The token has expired.";
  if (nbf !== undefined && !(Number(nbf) <= now + clockSkew)) return "The token is not valid yet.";
  return undefined;
}

/**
 * Finds why a verified token is never accepted here; undefined when it is. Applies to every verifier.
 *
 * basic/authorization#token-handling (2025-11-25)
 */
export function findClaimsProblem(
  claims: Claims,
  { issuers, audiences }: ExpectedClaims,
): string | undefined {
  if (claims.iss !== undefined && issuers.length > 0 && !includes(issuers, claims.iss))
    return "The token was issued by another issuer.";
  if (!isIssuedFor(claims.aud, audiences)) return "The token was not issued for this server.";
  if (claims.resource !== undefined && !isIssuedFor(claims.resource, audiences))
    return "The token was issued for another resource.";
  if (isBoundOtherwise(claims)) return "The token is bound by a method that this server does not check.";
  const isNamed = asText(claims.sub) !== undefined || toClient(claims) !== undefined;
  return isNamed ? undefined : "The token names neither a subject nor a client.";
}

/**
 * The principal that a token stands for. The claims must have been checked.
 *
 * A token without a subject may be that of any user of its client, so it shares nothing with any other token.
 */
export async function toPrincipal(
  token: string,
  claims: Claims,
  { fallbackIssuer, implied }: PrincipalRules,
): Promise<Principal> {
  const client = toClient(claims);
  const subject = asText(claims.sub);
  // The handlers of several requests see the same principal.
  return Object.freeze({
    issuer: claims.iss ?? fallbackIssuer,
    ...(subject === undefined ? { subject: `token ${await sha256(token)}`, isToken: true } : { subject }),
    ...(client !== undefined && { client }),
    scopes: Object.freeze(withImplied(toScopes(claims), implied)),
    claims,
  });
}

export interface PrincipalRules {
  /** The issuer of tokens that name none. */
  readonly fallbackIssuer: string;
  readonly implied: ImpliedScopes;
}

/** The thumbprint of the key that a token is bound to (RFC 9449, section 6.1). */
export function readBoundThumbprint({ cnf }: Claims): string | undefined {
  return isObject(cnf) ? asText(cnf.jkt) : undefined;
}

/** True for a token that is bound in another way, such as to a certificate, which is not checked here. */
function isBoundOtherwise(claims: Claims): boolean {
  return claims.cnf != null && readBoundThumbprint(claims) === undefined;
}

/** Scopes that another scope includes. */
export type ImpliedScopes = { readonly [scope: string]: readonly string[] };

function withImplied(scopes: readonly string[], implied: ImpliedScopes): readonly string[] {
  const all = new Set(scopes);
  // A loop over a set also visits the members that it adds.
  for (const scope of all) for (const more of ownOf(implied, scope)) all.add(more);
  return [...all];
}

function ownOf(implied: ImpliedScopes, scope: string): readonly string[] {
  return Object.hasOwn(implied, scope) ? (implied[scope] ?? []) : [];
}

/** The same text for URLs that differ only in a trailing slash. */
export function toComparable(identifier: string): string {
  const text = URL.canParse(identifier) ? new URL(identifier).href : identifier;
  return text.endsWith("/") ? text.slice(0, -1) : text;
}

function includes(known: readonly string[], value: unknown): boolean {
  return typeof value === "string" && known.some((one) => toComparable(one) === toComparable(value));
}

function isIssuedFor(given: unknown, audiences: readonly string[]): boolean {
  const all = Array.isArray(given) ? given : [given];
  return all.some((one) => includes(audiences, one));
}

function toClient({ client_id, azp, cid }: Claims): string | undefined {
  return asText(client_id) ?? asText(azp) ?? asText(cid);
}

/** Reads `scope` (RFC 9068), or `scp`, which some authorization servers use. */
function toScopes({ scope, scp }: Claims): readonly string[] {
  const given = scope ?? scp;
  if (Array.isArray(given)) return given.filter((one) => typeof one === "string");
  return typeof given === "string" ? given.split(" ").filter((one) => one !== "") : [];
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

import type { Principal } from "../../contract/principal.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";

/** What a token says, in the words of JSON Web Tokens. */
export interface Claims extends JsonObject {
  readonly iss?: string;
  readonly sub?: string;
  /** For whom the token was issued. */
  readonly aud?: string | readonly string[];
  /** Seconds since 1970. */
  readonly exp?: number;
  readonly nbf?: number;
  readonly client_id?: string;
  /** Separated by spaces. */
  readonly scope?: string;
}

/** What must be true of a token. */
export interface ExpectedClaims {
  readonly audiences: readonly string[];
  /** Empty when whoever verified the token vouches for it. */
  readonly issuers: readonly string[];
  /** Seconds by which clocks may differ. */
  readonly clockSkew: number;
}

/** Why a token is not good here, whoever verified it; undefined when it is. */
export function findClaimsProblem(claims: Claims, expected: ExpectedClaims): string | undefined {
  const { issuers, audiences, clockSkew } = expected;
  const now = Date.now() / 1000;
  if (claims.iss !== undefined && issuers.length > 0 && !includes(issuers, claims.iss))
    return "The token is of another issuer.";
  if (claims.exp !== undefined && !(Number(claims.exp) > now - clockSkew)) return "The token has expired.";
  if (claims.nbf !== undefined && !(Number(claims.nbf) <= now + clockSkew))
    return "The token is not good yet.";
  if (!isMeantFor(claims.aud, audiences)) return "The token was not issued for this server.";
  if (claims.resource !== undefined && !isMeantFor(claims.resource, audiences))
    return "The token was issued for another resource.";
  if (isBoundElsewhere(claims)) return "The token is bound to something that is not checked here.";
  return toSubject(claims) === undefined ? "The token does not say whose it is." : undefined;
}

/** Who a token stands for. The claims must have been checked. */
export function toPrincipal(claims: Claims, fallbackIssuer: string, implied: ImpliedScopes): Principal {
  const client = toClient(claims);
  return {
    issuer: claims.iss ?? fallbackIssuer,
    subject: toSubject(claims) ?? "",
    ...(client !== undefined && { client }),
    scopes: withImplied(toScopes(claims), implied),
    claims,
  };
}

/** The thumbprint of the key that a token is bound to (RFC 9449, section 6.1). */
export function readBoundThumbprint({ cnf }: Claims): string | undefined {
  return isObject(cnf) ? asText(cnf.jkt) : undefined;
}

/** Whether a token is bound to something else, such as a certificate, which nobody here looks at. */
function isBoundElsewhere(claims: Claims): boolean {
  return claims.cnf != null && readBoundThumbprint(claims) === undefined;
}

/** Scopes that come with another. */
export type ImpliedScopes = { readonly [scope: string]: readonly string[] };

function withImplied(scopes: readonly string[], implied: ImpliedScopes): readonly string[] {
  const all = new Set(scopes);
  // A set is walked through to what was added on the way.
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

function isMeantFor(given: unknown, audiences: readonly string[]): boolean {
  const all = Array.isArray(given) ? given : [given];
  return all.some((one) => includes(audiences, one));
}

/** A client that acts for itself may have no other subject. */
function toSubject(claims: Claims): string | undefined {
  return asText(claims.sub) ?? toClient(claims);
}

function toClient({ client_id, azp, cid }: Claims): string | undefined {
  return asText(client_id) ?? asText(azp) ?? asText(cid);
}

/** As RFC 9068 has them, or as some authorization servers do. */
function toScopes({ scope, scp }: Claims): readonly string[] {
  const given = scope ?? scp;
  if (Array.isArray(given)) return given.filter((one) => typeof one === "string");
  return typeof given === "string" ? given.split(" ").filter((one) => one !== "") : [];
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

import { UsageError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { describeValue } from "../../lib/text/describe-value.ts";

/** The identity of a caller, as far as authorization established it. */
export interface Principal {
  readonly issuer: string;
  readonly subject: string;
  /** True if the subject stands for one token, because the token names none: the client may have many. */
  readonly isToken?: boolean;
  readonly client?: string;
  readonly scopes?: readonly string[];
  readonly claims?: JsonObject;
}

/**
 * The key that binds stored data to one principal, so that no other principal reaches it.
 *
 * Empty for callers without a principal: they share their data.
 */
export function toOwner(principal: Principal | undefined): string {
  return principal === undefined
    ? ""
    : JSON.stringify([principal.issuer, principal.subject, principal.client]);
}

/** The principal that a function of the author returned; throws UsageError for anything else, which would own nothing. */
export function assertPrincipal(given: Principal | undefined): Principal | undefined {
  if (given === undefined || (typeof given?.issuer === "string" && typeof given.subject === "string"))
    return given;
  throw new UsageError(`identify must return { issuer, subject } or undefined, not ${describeValue(given)}.`);
}

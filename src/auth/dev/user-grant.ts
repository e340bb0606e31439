import type { JsonObject } from "../../protocol/json.ts";
import { createGrant, type Grant } from "../issuer/grant.ts";
import { invalidRequest } from "../issuer/refusal.ts";
import { type DevIssuer, refreshMs } from "./dev-issuer.ts";
import type { DevUser } from "./dev-options.ts";

export interface Allowed {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  readonly nonce?: string;
}

export function findUser({ users }: DevIssuer, subject: string): DevUser {
  const user = users.find((one) => one.subject === subject);
  if (user === undefined) throw invalidRequest(`There is no user ${JSON.stringify(subject)}.`);
  return user;
}

/** What a user allows a client. */
export function toUserGrant(issuer: DevIssuer, user: DevUser, allowed: Allowed): Grant {
  const { clientId, scopes, resources, nonce } = allowed;
  return createGrant({
    clientId,
    scopes,
    resources,
    nonce,
    subject: user.subject,
    claims: user.claims ?? {},
    profile: toProfile(user, scopes),
    refreshMs: refreshMs(issuer),
  });
}

export function toProfile({ name, email }: DevUser, scopes: readonly string[]): JsonObject {
  return {
    ...(scopes.includes("profile") && name !== undefined && { name }),
    ...(scopes.includes("email") && email !== undefined && { email, email_verified: true }),
  };
}

import type { JsonObject } from "../../protocol/json.ts";
import type { Grant } from "../issuer/grant.ts";
import { randomToken } from "../issuer/random-token.ts";
import { invalidRequest } from "../issuer/refusal.ts";
import { type DevIssuer, refreshMs } from "./dev-issuer.ts";
import type { DevUser } from "./dev-options.ts";

export interface Granting {
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
export function toGrant(issuer: DevIssuer, user: DevUser, granting: Granting): Grant {
  const { clientId, scopes, resources, nonce } = granting;
  return {
    id: randomToken(),
    clientId,
    subject: user.subject,
    scopes,
    resources,
    claims: user.claims ?? {},
    profile: toProfile(user, scopes),
    authTime: Math.floor(Date.now() / 1000),
    expiresAt: Date.now() + refreshMs(issuer),
    ...(nonce !== undefined && { nonce }),
  };
}

export function toProfile({ name, email }: DevUser, scopes: readonly string[]): JsonObject {
  return {
    ...(scopes.includes("profile") && name !== undefined && { name }),
    ...(scopes.includes("email") && email !== undefined && { email, email_verified: true }),
  };
}

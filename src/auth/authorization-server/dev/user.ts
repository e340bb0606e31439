import type { JsonObject } from "../../../lib/json.ts";
import { type Html, html } from "../../../lib/text/html.ts";
import { invalidRequestError } from "../http/oauth-error.ts";
import { type AuthorizationGrant, createAuthorizationGrant } from "../tokens/authorization-grant.ts";
import { type DevIssuer, refreshTokenMs } from "./dev-issuer.ts";
import type { DevUser } from "./options.ts";

export interface UserGrantOptions {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  readonly nonce?: string;
}

export function findUser({ users }: DevIssuer, subject: string): DevUser {
  const user = users.find((one) => one.subject === subject);
  if (user === undefined) throw invalidRequestError(`There is no user ${JSON.stringify(subject)}.`);
  return user;
}

/**
 * The user of automatic approvals; undefined when the user must decide.
 *
 * A page of another site must not obtain a token through the developer's browser.
 */
export function findAutoApprover({ options, users }: DevIssuer, http: Request): DevUser | undefined {
  const { autoApprove = false } = options;
  if (autoApprove === false || http.headers.get("sec-fetch-site") === "cross-site") return undefined;
  return autoApprove === true ? users[0] : users.find(({ subject }) => subject === autoApprove);
}

/** The grant of a user to a client. */
export function toUserGrant(issuer: DevIssuer, user: DevUser, allowed: UserGrantOptions): AuthorizationGrant {
  const { clientId, scopes, resources, nonce } = allowed;
  return createAuthorizationGrant({
    clientId,
    scopes,
    resources,
    nonce,
    subject: user.subject,
    claims: user.claims ?? {},
    profile: toProfile(user, scopes),
    refreshMs: refreshTokenMs(issuer),
  });
}

export function toProfile({ name, email }: DevUser, scopes: readonly string[]): JsonObject {
  return {
    ...(scopes.includes("profile") && name !== undefined && { name }),
    ...(scopes.includes("email") && email !== undefined && { email, email_verified: true }),
  };
}

export function toUserChoice(users: readonly DevUser[]): Html {
  const options = users.map(
    ({ subject, name }) => html`<option value="${subject}">${name ?? subject}</option>`,
  );
  return html`<p><label>as <select name="user">${options}</select></label></p>`;
}

import type { JWTPayload } from "jose";
import type { JsonObject } from "../../../lib/json.ts";
import { randomToken } from "../../../lib/random-token.ts";
import { sha256 } from "../../../lib/sha256.ts";
import type { ValueStore } from "../../../state/state.ts";
import type { AuthorizationGrant } from "./authorization-grant.ts";
import type { GrantStore } from "./grant-store.ts";
import type { SigningKeys } from "./signing-keys.ts";

export interface TokenIssuerOptions {
  readonly issuer: string;
  readonly keys: SigningKeys;
  readonly grants: GrantStore;
  readonly values: ValueStore;
  readonly accessSeconds: number;
  /** `opaque` tokens say nothing by themselves: who gets one must ask for what it means. */
  readonly format: "jwt" | "opaque";
}

export interface IssueOptions {
  readonly grant: AuthorizationGrant;
  readonly audience: readonly string[];
  readonly scopes: readonly string[];
  /** The key that the client proved to have, which the token is bound to. */
  readonly thumbprint: string | undefined;
  readonly refresh: boolean;
  /** Who acts for the subject (RFC 8693, 4.1). */
  readonly actor?: JsonObject;
  /** Default: what the issuer has. */
  readonly accessSeconds?: number;
}

export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: "Bearer" | "DPoP";
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
  readonly issued_token_type?: string;
}

const accessType = "at+jwt";

/** Makes tokens of what was granted (RFC 9068), and knows its own. */
export class TokenIssuer {
  readonly #options: TokenIssuerOptions;

  constructor(options: TokenIssuerOptions) {
    this.#options = options;
  }

  async issue(minting: IssueOptions): Promise<TokenResponse> {
    const { grant, scopes, thumbprint, refresh } = minting;
    const { accessSeconds = this.#options.accessSeconds } = minting;
    return {
      access_token: await this.#mintAccess(minting),
      token_type: thumbprint === undefined ? "Bearer" : "DPoP",
      expires_in: accessSeconds,
      scope: scopes.join(" "),
      ...(refresh && { refresh_token: await this.#options.grants.createRefreshToken(grant) }),
      ...(scopes.includes("openid") && { id_token: await this.#mintId(grant) }),
    };
  }

  /** What an access token of ours says, unless it has expired or was revoked. */
  async verifyAccessToken(token: string): Promise<JWTPayload | undefined> {
    const { keys, issuer, values, grants } = this.#options;
    const opaque = await values.get(`access:${await sha256(token)}`);
    const claims = opaque
      ? (JSON.parse(opaque) as JWTPayload)
      : await keys.verify(token, { issuer, typ: accessType });
    const [grantId = "", own = ""] = claims?.jti?.split(".") ?? [];
    const isRevoked = (await grants.isRevoked(grantId)) || (await grants.isRevoked(own));
    return isRevoked ? undefined : claims;
  }

  /** Makes one access token worthless to whoever asks about it. */
  async revokeAccessToken({ jti = "", exp = 0 }: JWTPayload): Promise<void> {
    await this.#options.grants.revoke(jti.split(".")[1] ?? "", exp * 1000 - Date.now());
  }

  async #mintAccess({
    grant,
    audience,
    scopes,
    thumbprint,
    actor,
    ...minting
  }: IssueOptions): Promise<string> {
    const { issuer, keys, format, values } = this.#options;
    const { accessSeconds = this.#options.accessSeconds } = minting;
    const claims = {
      ...grant.claims,
      iss: issuer,
      sub: grant.subject,
      aud: audience.length === 1 ? (audience[0] as string) : [...audience],
      client_id: grant.clientId,
      scope: scopes.join(" "),
      ...toLifetime(accessSeconds),
      // Both names, so that what was granted and this token alone can be revoked.
      jti: `${grant.id}.${randomToken()}`,
      ...(thumbprint !== undefined && { cnf: { jkt: thumbprint } }),
      ...(actor && { act: actor }),
    };
    if (format === "jwt") return keys.sign(claims, accessType);
    const token = randomToken();
    await values.put(`access:${await sha256(token)}`, JSON.stringify(claims), accessSeconds * 1000);
    return token;
  }

  #mintId({ profile, subject, clientId, authTime, nonce }: AuthorizationGrant): Promise<string> {
    const { issuer, keys, accessSeconds } = this.#options;
    const claims = {
      ...profile,
      iss: issuer,
      sub: subject,
      aud: clientId,
      auth_time: authTime,
      ...toLifetime(accessSeconds),
      ...(nonce !== undefined && { nonce }),
    };
    return keys.sign(claims, "JWT");
  }
}

function toLifetime(seconds: number): { readonly iat: number; readonly exp: number } {
  const iat = Math.floor(Date.now() / 1000);
  return { iat, exp: iat + seconds };
}

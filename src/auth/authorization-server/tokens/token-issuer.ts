import type { JWTPayload } from "jose";
import { randomToken } from "../../../lib/encoding/random-token.ts";
import { sha256 } from "../../../lib/encoding/sha256.ts";
import type { JsonObject } from "../../../lib/json.ts";
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
  /** The format of access tokens; `opaque` ones need introspection. */
  readonly format: "jwt" | "opaque";
}

export interface IssueOptions {
  readonly grant: AuthorizationGrant;
  readonly audience: readonly string[];
  readonly scopes: readonly string[];
  /** The thumbprint of the key that the token is bound to. */
  readonly thumbprint: string | undefined;
  readonly refresh: boolean;
  /** The actor claim (RFC 8693, section 4.1). */
  readonly actor?: JsonObject;
  /** Default: the lifetime of the issuer's options. */
  readonly accessSeconds?: number;
  /** Spends the code or the token that the new ones replace; throws if it was spent before. */
  readonly spend?: () => Promise<void>;
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

/** Issues the tokens of a grant (RFC 9068), and verifies and revokes its own. */
export class TokenIssuer {
  readonly #options: TokenIssuerOptions;

  constructor(options: TokenIssuerOptions) {
    this.#options = options;
  }

  /**
   * Issues the tokens, then spends what they replace: a store that fails between two writes must not take the old
   * from a client that never gets the new.
   */
  async issue(options: IssueOptions): Promise<TokenResponse> {
    const { grant, scopes, thumbprint, refresh, spend } = options;
    const { accessSeconds = this.#options.accessSeconds } = options;
    const { grants } = this.#options;
    const refreshToken = refresh ? await grants.createRefreshToken(grant) : undefined;
    try {
      const response = {
        access_token: await this.#issueAccessToken(options),
        token_type: thumbprint === undefined ? ("Bearer" as const) : ("DPoP" as const),
        expires_in: accessSeconds,
        scope: scopes.join(" "),
        ...(refreshToken !== undefined && { refresh_token: refreshToken }),
        ...(scopes.includes("openid") && { id_token: await this.#issueIdToken(grant) }),
      };
      await spend?.();
      return response;
    } catch (error) {
      if (refreshToken !== undefined) await grants.discardRefreshToken(refreshToken);
      throw error;
    }
  }

  /** The claims of an access token of this issuer; undefined when it is invalid, expired or revoked. */
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

  /** Revokes one access token; servers that ask by introspection see it. */
  async revokeAccessToken({ jti = "", exp = 0 }: JWTPayload): Promise<void> {
    await this.#options.grants.revoke(jti.split(".")[1] ?? "", exp * 1000 - Date.now());
  }

  async #issueAccessToken({
    grant,
    audience,
    scopes,
    thumbprint,
    actor,
    ...options
  }: IssueOptions): Promise<string> {
    const { issuer, keys, format, values } = this.#options;
    const { accessSeconds = this.#options.accessSeconds } = options;
    const claims = {
      ...grant.claims,
      iss: issuer,
      sub: grant.subject,
      aud: audience.length === 1 ? (audience[0] as string) : [...audience],
      client_id: grant.clientId,
      scope: scopes.join(" "),
      ...toLifetime(accessSeconds),
      // Holds both ids, so that the grant or this token alone can be revoked.
      jti: `${grant.id}.${randomToken()}`,
      ...(thumbprint !== undefined && { cnf: { jkt: thumbprint } }),
      ...(actor && { act: actor }),
    };
    if (format === "jwt") return keys.sign(claims, accessType);
    const token = randomToken();
    await values.put(`access:${await sha256(token)}`, JSON.stringify(claims), accessSeconds * 1000);
    return token;
  }

  #issueIdToken({ profile, subject, clientId, authTime, nonce }: AuthorizationGrant): Promise<string> {
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

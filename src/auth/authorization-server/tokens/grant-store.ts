import { randomToken } from "../../../lib/encoding/random-token.ts";
import { sha256 } from "../../../lib/encoding/sha256.ts";
import type { ValueStore } from "../../../state/state.ts";
import { clockDifferenceMs } from "../../clock-difference.ts";
import { invalidGrantError } from "../http/oauth-error.ts";
import type { AuthorizationGrant } from "./authorization-grant.ts";

/** The stored record of an authorization code. */
export interface CodeRecord {
  readonly grant: AuthorizationGrant;
  readonly redirectUri: string;
  /** True when the client named its redirect URI, and so must repeat it in the token request. */
  readonly namedRedirectUri: boolean;
  readonly codeChallenge: string;
  /** The thumbprint of the key that the client announced (RFC 9449, section 10). */
  readonly thumbprint?: string;
}

const codeMs = 60_000;

/** Codes and refresh tokens: each works once, and a second use revokes its grant (RFC 9700, section 4.14.2). */
export class GrantStore {
  readonly #values: ValueStore;

  constructor(values: ValueStore) {
    this.#values = values;
  }

  createCode(record: CodeRecord): Promise<string> {
    return this.#store("code", record, codeMs);
  }

  /** The record of a code; `spend` must follow before anything is given for it. */
  async findCode(code: string, clientId: string): Promise<Redeemable<CodeRecord>> {
    return this.#find<CodeRecord>("code", code, { read: (record) => record.grant, clientId });
  }

  createRefreshToken(grant: AuthorizationGrant): Promise<string> {
    return this.#store("refresh", grant, grant.expiresAt - Date.now());
  }

  /** Removes a refresh token that was never given to its client. */
  async discardRefreshToken(token: string): Promise<void> {
    await this.#values.remove(`refresh:${await sha256(token)}`);
  }

  /** The grant of a refresh token; `spend` must follow before anything is given for it. */
  async findRefreshToken(token: string, clientId: string): Promise<Redeemable<AuthorizationGrant>> {
    return this.#find<AuthorizationGrant>("refresh", token, { read: (grant) => grant, clientId });
  }

  /** The grant of a valid refresh token of any client. */
  async findByRefreshToken(token: string): Promise<AuthorizationGrant | undefined> {
    const key = `refresh:${await sha256(token)}`;
    const stored = await this.#values.get(key);
    if (stored === undefined || (await this.#values.get(`spent:${key}`)) !== undefined) return undefined;
    const grant = JSON.parse(stored) as AuthorizationGrant;
    return (await this.isRevoked(grant.id)) ? undefined : grant;
  }

  /** Revokes a grant, or a token, that is valid for so long by the clock of this node. */
  async revoke(id: string, ms: number): Promise<void> {
    await this.#values.put(`revoked:${id}`, "", Math.max(ms, 0) + clockDifferenceMs);
  }

  async isRevoked(id: string): Promise<boolean> {
    return (await this.#values.get(`revoked:${id}`)) !== undefined;
  }

  async #store(kind: string, record: unknown, ms: number): Promise<string> {
    const token = randomToken();
    await this.#values.put(`${kind}:${await sha256(token)}`, JSON.stringify(record), Math.max(ms, 1));
    return token;
  }

  async #find<T>(kind: string, token: string, { read, clientId }: FindOptions<T>): Promise<Redeemable<T>> {
    const key = `${kind}:${await sha256(token)}`;
    const stored = await this.#values.get(key);
    if (stored === undefined) throw invalidGrantError(`The ${kind} is unknown or has expired.`);
    const record = JSON.parse(stored) as T;
    const grant = read(record);
    // Before it is spent, so that no client can spend the token of another.
    if (grant.clientId !== clientId) throw invalidGrantError(`The ${kind} was issued to another client.`);
    // A used one is not worth any further check.
    if ((await this.#values.get(`spent:${key}`)) !== undefined) await this.#spend(kind, key, grant);
    if (await this.isRevoked(grant.id)) throw invalidGrantError(`The ${kind} is revoked.`);
    return { record, spend: () => this.#spend(kind, key, grant) };
  }

  async #spend(kind: string, key: string, grant: AuthorizationGrant): Promise<void> {
    // The mark outlives the record that it marks, even if the grant ends sooner.
    const ms = Math.max(grant.expiresAt - Date.now(), codeMs);
    if (await this.#values.add(`spent:${key}`, "", ms + clockDifferenceMs)) return;
    await this.revoke(grant.id, ms);
    throw invalidGrantError(`The ${kind} was used before, so its grant is revoked.`);
  }
}

/** The record of a code or a token that works once. */
export interface Redeemable<T> {
  readonly record: T;
  /** Throws OAuthError, and revokes the grant, if it was spent before. */
  readonly spend: () => Promise<void>;
}

interface FindOptions<T> {
  readonly read: (record: T) => AuthorizationGrant;
  readonly clientId: string;
}

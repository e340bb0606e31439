import { randomToken } from "../../../lib/random-token.ts";
import { sha256 } from "../../../lib/sha256.ts";
import type { ValueStore } from "../../../state/state.ts";
import { invalidGrantError } from "../http/oauth-error.ts";
import type { AuthorizationGrant } from "./authorization-grant.ts";

/** What a code was given for. */
export interface CodeRecord {
  readonly grant: AuthorizationGrant;
  readonly redirectUri: string;
  /** Whether the client named its redirect URI, and so must name it again. */
  readonly namedRedirectUri: boolean;
  readonly codeChallenge: string;
  /** The key that the client said it will prove (RFC 9449, 10). */
  readonly thumbprint?: string;
}

const codeMs = 60_000;

/** Codes and refresh tokens: each is good once, and who shows one again loses all that came of its grant. */
export class GrantStore {
  readonly #values: ValueStore;

  constructor(values: ValueStore) {
    this.#values = values;
  }

  createCode(record: CodeRecord): Promise<string> {
    return this.#keep("code", record, codeMs);
  }

  async redeemCode(code: string, clientId: string): Promise<CodeRecord> {
    return this.#spend<CodeRecord>("code", code, {
      read: (record) => record.grant,
      clientId,
    });
  }

  createRefreshToken(grant: AuthorizationGrant): Promise<string> {
    return this.#keep("refresh", grant, grant.expiresAt - Date.now());
  }

  async redeemRefreshToken(token: string, clientId: string): Promise<AuthorizationGrant> {
    return this.#spend<AuthorizationGrant>("refresh", token, { read: (grant) => grant, clientId });
  }

  /** The grant of a refresh token that is still good, which stays so. */
  async findByRefreshToken(token: string): Promise<AuthorizationGrant | undefined> {
    const key = `refresh:${await sha256(token)}`;
    const kept = await this.#values.get(key);
    if (kept === undefined || (await this.#values.get(`spent:${key}`)) !== undefined) return undefined;
    const grant = JSON.parse(kept) as AuthorizationGrant;
    return (await this.isRevoked(grant.id)) ? undefined : grant;
  }

  async revoke(id: string, ms: number): Promise<void> {
    await this.#values.put(`revoked:${id}`, "", Math.max(ms, 1));
  }

  async isRevoked(id: string): Promise<boolean> {
    return (await this.#values.get(`revoked:${id}`)) !== undefined;
  }

  async #keep(kind: string, record: unknown, ms: number): Promise<string> {
    const token = randomToken();
    await this.#values.put(`${kind}:${await sha256(token)}`, JSON.stringify(record), Math.max(ms, 1));
    return token;
  }

  async #spend<T>(kind: string, token: string, { read, clientId }: Spending<T>): Promise<T> {
    const key = `${kind}:${await sha256(token)}`;
    const kept = await this.#values.get(key);
    if (kept === undefined) throw invalidGrantError(`The ${kind} is unknown or has expired.`);
    const record = JSON.parse(kept) as T;
    const grant = read(record);
    // Before it is spent, so that nobody can spend what belongs to another.
    if (grant.clientId !== clientId) throw invalidGrantError(`The ${kind} was given to another client.`);
    const leftMs = grant.expiresAt - Date.now();
    // No sooner than what it marks is gone, whatever becomes of the grant.
    if (!(await this.#values.add(`spent:${key}`, "", Math.max(leftMs, codeMs)))) {
      await this.revoke(grant.id, Math.max(leftMs, codeMs));
      throw invalidGrantError(`The ${kind} was used before, so all that came of it is revoked.`);
    }
    if (await this.isRevoked(grant.id)) throw invalidGrantError(`The ${kind} is revoked.`);
    return record;
  }
}

interface Spending<T> {
  readonly read: (record: T) => AuthorizationGrant;
  readonly clientId: string;
}

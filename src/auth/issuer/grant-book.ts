import type { ValueStore } from "../../state/state.ts";
import type { Grant } from "./grant.ts";
import { digest, randomToken } from "./random-token.ts";
import { invalidGrant } from "./refusal.ts";

/** What a code was given for. */
export interface CodeRecord {
  readonly grant: Grant;
  readonly redirectUri: string;
  /** Whether the client named its redirect URI, and so must name it again. */
  readonly namedRedirectUri: boolean;
  readonly challenge: string;
  /** The key that the client said it will prove (RFC 9449, 10). */
  readonly thumbprint?: string;
}

const codeMs = 60_000;

/** Codes and refresh tokens: each is good once, and who shows one again loses all that came of its grant. */
export class GrantBook {
  readonly #values: ValueStore;

  constructor(values: ValueStore) {
    this.#values = values;
  }

  createCode(record: CodeRecord): Promise<string> {
    return this.#keep("code", record, codeMs);
  }

  async spendCode(code: string, clientId: string): Promise<CodeRecord> {
    return this.#spend<CodeRecord>("code", code, {
      read: (record) => record.grant,
      clientId,
    });
  }

  createRefresh(grant: Grant): Promise<string> {
    return this.#keep("refresh", grant, grant.expiresAt - Date.now());
  }

  async spendRefresh(token: string, clientId: string): Promise<Grant> {
    return this.#spend<Grant>("refresh", token, { read: (grant) => grant, clientId });
  }

  /** The grant of a refresh token that is still good, which stays so. */
  async findRefresh(token: string): Promise<Grant | undefined> {
    const key = `refresh:${await digest(token)}`;
    const kept = await this.#values.get(key);
    if (kept === undefined || (await this.#values.get(`spent:${key}`)) !== undefined) return undefined;
    const grant = JSON.parse(kept) as Grant;
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
    await this.#values.put(`${kind}:${await digest(token)}`, JSON.stringify(record), Math.max(ms, 1));
    return token;
  }

  async #spend<T>(kind: string, token: string, { read, clientId }: Spending<T>): Promise<T> {
    const key = `${kind}:${await digest(token)}`;
    const kept = await this.#values.get(key);
    if (kept === undefined) throw invalidGrant(`The ${kind} is unknown or has expired.`);
    const record = JSON.parse(kept) as T;
    const grant = read(record);
    // Before it is spent, so that nobody can spend what belongs to another.
    if (grant.clientId !== clientId) throw invalidGrant(`The ${kind} was given to another client.`);
    const leftMs = grant.expiresAt - Date.now();
    // No sooner than what it marks is gone, whatever becomes of the grant.
    if (!(await this.#values.add(`spent:${key}`, "", Math.max(leftMs, codeMs)))) {
      await this.revoke(grant.id, Math.max(leftMs, codeMs));
      throw invalidGrant(`The ${kind} was used before, so all that came of it is revoked.`);
    }
    if (await this.isRevoked(grant.id)) throw invalidGrant(`The ${kind} is revoked.`);
    return record;
  }
}

interface Spending<T> {
  readonly read: (record: T) => Grant;
  readonly clientId: string;
}

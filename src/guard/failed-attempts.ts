import type { RpcError } from "../errors.ts";
import { ExpiringMap } from "../lib/bounded/expiring-map.ts";
import { LimitCode, limitReached } from "../protocol/limit-error.ts";
import type { CounterValue } from "../state/state.ts";
import type { LimitRuleState } from "./limit-rule.ts";

const maxAddresses = 100_000;
const attempt = { method: "initialize", params: {} };

/** The origin of an attempt, as far as it is known. */
export interface AttemptSource {
  readonly address: string | undefined;
  /** The address that a proxy claims which is not trusted, or a client that poses as one. */
  readonly claimed?: string | undefined;
}

/** Counts an attempt at all nodes together; never rejects, and resolves to nothing when the store fails. */
export type CountTogether = (key: string, perMs: number) => Promise<CounterValue | undefined>;

interface Allowance {
  readonly key: string;
  readonly max: number;
}

/** Behind a proxy that is not trusted many clients have one address: together they have this many times the allowance. */
const sharedFactor = 10;
const maxClaimLength = 64;

/**
 * Failed attempts by address: checking each one costs a signature, or a request to another server.
 *
 * Nobody waits for a store because of them. Where nodes count together, each one learns the sum with the next attempt
 * that fails there.
 */
export class FailedAttempts {
  readonly #rule: LimitRuleState;
  readonly #times = new ExpiringMap<{ count: number }>(maxAddresses);

  readonly #countTogether: CountTogether | undefined;

  /** Allows as many attempts as the rule for anonymous callers allows calls. */
  constructor(rule: LimitRuleState, countTogether?: CountTogether) {
    this.#rule = rule;
    this.#countTogether = countTogether;
  }

  /** The error for an address with too many failed attempts. */
  refusal(source: AttemptSource): RpcError | undefined {
    for (const { key, max } of this.#allowances(source)) {
      const known = this.#times.get(key);
      if (known && known.value.count >= max)
        return limitReached(LimitCode.tooMany, this.#rule.tooManyCalls, known.expiresAt - Date.now());
    }
    return undefined;
  }

  record(source: AttemptSource): void {
    for (const { key } of this.#allowances(source)) {
      const known = this.#times.get(key);
      if (known) known.value.count++;
      else this.#add(key, 1, this.#rule.perMs);
      void this.#countTogether?.(key, this.#rule.perMs).then((sum) => sum && this.#learn(key, sum));
    }
  }

  /** Takes over the sum of all nodes, for as long as it counts. */
  #learn(key: string, { count, resetsInMs }: CounterValue): void {
    const known = this.#times.get(key);
    if (known === undefined || known.value.count < count) this.#add(key, count, resetsInMs);
  }

  #add(key: string, count: number, ttlMs: number): void {
    try {
      this.#times.set(key, { count }, ttlMs);
    } catch {
      // With so many addresses at once an attacker can't be known by its address.
    }
  }

  /** Clients behind one proxy are distinguished by what it claims; a client that claims a new address each time is still limited. */
  #allowances({ address, claimed }: AttemptSource): readonly Allowance[] {
    const key = this.#rule.keyOf(attempt, { principal: undefined, address });
    const { calls = Number.POSITIVE_INFINITY } = this.#rule;
    if (key === undefined) return [];
    if (claimed === undefined) return [{ key, max: calls }];
    return [
      { key: `${key} for ${claimed.slice(-maxClaimLength)}`, max: calls },
      { key, max: calls * sharedFactor },
    ];
  }
}

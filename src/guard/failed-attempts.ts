import type { RpcError } from "../errors.ts";
import { ExpiringMap } from "../lib/expiring-map.ts";
import { LimitCode, limitReached } from "../protocol/limit-error.ts";
import type { LimitRuleState } from "./limit-rule.ts";

const maxAddresses = 100_000;
const attempt = { method: "initialize", params: {} };

/**
 * Failed attempts by address: checking each one costs a signature, or a request to another server.
 * Counted on this node only, so that a caller with good credentials waits for no store.
 */
export class FailedAttempts {
  readonly #rule: LimitRuleState;
  readonly #times = new ExpiringMap<{ count: number }>(maxAddresses);

  /** Allows as many attempts as the rule for anonymous callers allows calls. */
  constructor(rule: LimitRuleState) {
    this.#rule = rule;
  }

  /** The error for an address with too many failed attempts. */
  refusal(address: string | undefined): RpcError | undefined {
    const known = this.#find(address);
    if (known === undefined || known.value.count < (this.#rule.calls ?? Number.POSITIVE_INFINITY))
      return undefined;
    return limitReached(LimitCode.tooMany, this.#rule.tooManyCalls, known.expiresAt - Date.now());
  }

  record(address: string | undefined): void {
    const known = this.#find(address);
    if (known) known.value.count++;
    else this.#add(address);
  }

  #add(address: string | undefined): void {
    const key = this.#keyOf(address);
    if (key === undefined) return;
    try {
      this.#times.set(key, { count: 1 }, this.#rule.perMs);
    } catch {
      // With so many addresses at once an attacker can't be told by its address.
    }
  }

  #find(
    address: string | undefined,
  ): { readonly value: { count: number }; readonly expiresAt: number } | undefined {
    const key = this.#keyOf(address);
    return key === undefined ? undefined : this.#times.get(key);
  }

  #keyOf(address: string | undefined): string | undefined {
    return this.#rule.keyOf(attempt, { principal: undefined, address });
  }
}

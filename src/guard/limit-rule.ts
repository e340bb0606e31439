import { toHolder, toPrincipalKey } from "../contract/caller/holder.ts";
import { toAddressKey } from "../lib/bounded/address-key.ts";
import { toolOf } from "../protocol/method.ts";
import { methods } from "../protocol/method-table.ts";
import type { GuardedCaller, GuardedRequest } from "./audit.ts";
import { isStranger, type LimitRule } from "./limit-options.ts";

/** The callers that a rule counts; `anonymous` are those without a principal from another machine. */
type Counting = NonNullable<LimitRule["by"]> | "anonymous";

/** A rule with the calls that run under it. */
export class LimitRuleState {
  readonly id: string;
  readonly calls: number | undefined;
  readonly perMs: number;
  readonly isShared: boolean;
  readonly #by: Counting;
  readonly #tools: ReadonlySet<unknown> | undefined;
  readonly #maxRunning: number;
  readonly #running = new Map<string, number>();

  /** The `id` separates its counters from those of other rules. */
  constructor(id: string, rule: LimitRule, by: Counting = rule.by ?? "caller") {
    const { calls, perMs = 60_000, running, tools } = rule;
    this.id = id;
    this.calls = calls;
    this.perMs = perMs;
    this.isShared = by === "all";
    this.#by = by;
    this.#tools = tools && new Set(tools);
    this.#maxRunning = running ?? Number.POSITIVE_INFINITY;
  }

  /** The key under which a call counts; undefined when it does not. */
  keyOf({ method, params }: GuardedRequest, caller: GuardedCaller): string | undefined {
    const { principal, address } = caller;
    if (this.#tools && !this.#tools.has(toolOf(methods.get(method), params))) return undefined;
    switch (this.#by) {
      case "all":
        return "all";
      case "principal":
        return principal && toPrincipalKey(principal);
      case "address":
        return address && toAddressKey(address);
      case "anonymous":
        return address !== undefined && isStranger(caller) ? toAddressKey(address) : undefined;
      case "caller":
        return toHolder(caller);
    }
  }

  /** Takes a place; returns whether there was one. */
  acquire(key: string): boolean {
    if (this.#maxRunning === Number.POSITIVE_INFINITY) return true;
    const running = this.#running.get(key) ?? 0;
    if (running >= this.#maxRunning) return false;
    this.#running.set(key, running + 1);
    return true;
  }

  release(key: string): void {
    const running = this.#running.get(key);
    if (running === undefined) return;
    if (running > 1) this.#running.set(key, running - 1);
    else this.#running.delete(key);
  }

  get tooManyCalls(): string {
    return `At most ${this.calls} calls in ${this.perMs / 1000} s are allowed`;
  }

  get tooManyRunning(): string {
    return `At most ${this.#maxRunning} calls at once are allowed`;
  }
}

import type { Principal } from "../contract/principal.ts";
import { UsageError } from "../errors.ts";
import { isCanonicalLoopbackHost } from "../lib/loopback.ts";
import type { GuardedCaller, GuardedRequest } from "./audit.ts";
import { toAddressKey } from "./client-address.ts";

/** How often, and how many at once. */
export interface Allowance {
  /** At most so many calls within `perMs`. Default: any number. */
  readonly calls?: number;
  /** The stretch of time in which calls are counted; it begins with the first. Default one minute. */
  readonly perMs?: number;
  /** At most so many under way at once, on this node. Default: any number. */
  readonly running?: number;
}

/** A limit to some calls. One that would be beyond it is refused with 429, and 503 where all callers share it. */
export interface LimitRule extends Allowance {
  /** Only calls of these tools. Default: every request. */
  readonly tools?: readonly string[];
  /**
   * Whose calls are counted together. Default `caller`: those of one principal, or of one
   * address where there is none. `principal` and `address` pass by whoever has none;
   * `all` counts everybody.
   */
  readonly by?: "caller" | "principal" | "address" | "all";
}

/** Whose calls a rule counts; `anonymous` are those without a principal who come from another machine. */
type Counting = NonNullable<LimitRule["by"]> | "anonymous";

/** A rule with what runs under it. */
export class LimitRuleState {
  readonly id: string;
  readonly calls: number | undefined;
  readonly perMs: number;
  readonly isShared: boolean;
  readonly #by: Counting;
  readonly #tools: ReadonlySet<unknown> | undefined;
  readonly #most: number;
  readonly #running = new Map<string, number>();

  /** `id` tells its counters from those of other rules. */
  constructor(id: string, rule: LimitRule, by: Counting = rule.by ?? "caller") {
    const { calls, perMs = 60_000, running, tools } = rule;
    assertPositive({ calls, perMs, running });
    this.id = id;
    this.calls = calls;
    this.perMs = perMs;
    this.isShared = by === "all";
    this.#by = by;
    this.#tools = tools && new Set(tools);
    this.#most = running ?? Number.POSITIVE_INFINITY;
  }

  /** Under which name a call counts; undefined when it does not. */
  keyOf({ method, params }: GuardedRequest, { principal, address }: GuardedCaller): string | undefined {
    if (this.#tools && !(method === "tools/call" && this.#tools.has(params.name))) return undefined;
    switch (this.#by) {
      case "all":
        return "all";
      case "principal":
        return principal && toPrincipalKey(principal);
      case "address":
        return address && toAddressKey(address);
      case "anonymous":
        if (principal !== undefined || address === undefined || isCanonicalLoopbackHost(address))
          return undefined;
        return toAddressKey(address);
      case "caller":
        if (principal) return toPrincipalKey(principal);
        // Those whom nothing tells apart have one share between them.
        return address === undefined ? "unknown" : toAddressKey(address);
    }
  }

  /** Takes a place; whether there was one. */
  acquire(key: string): boolean {
    if (this.#most === Number.POSITIVE_INFINITY) return true;
    const running = this.#running.get(key) ?? 0;
    if (running >= this.#most) return false;
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
    return `At most ${this.#most} calls at once are allowed`;
  }
}

/** Without the client: a user does not get a second share by using a second one. */
function toPrincipalKey({ issuer, subject }: Principal): string {
  return JSON.stringify([issuer, subject]);
}

export function assertPositive(numbers: { readonly [name: string]: number | undefined }): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (value === undefined || (Number.isInteger(value) && value > 0)) continue;
    throw new UsageError(`limits: ${name} must be a positive integer; leave it out for no limit.`);
  }
}

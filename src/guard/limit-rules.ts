import type { RpcError } from "../errors.ts";
import type { MaybePromise } from "../lib/async/maybe-promise.ts";
import { waitAtMost } from "../lib/async/wait-at-most.ts";
import { ExpiringMap } from "../lib/bounded/expiring-map.ts";
import { LimitCode, limitReached } from "../protocol/limit-error.ts";
import { MemoryCounters } from "../state/memory/counters.ts";
import type { CounterStore, CounterValue } from "../state/state.ts";
import type { GuardedCaller, GuardedRequest } from "./audit.ts";
import { FailedAttempts } from "./failed-attempts.ts";
import { busyMs, type LimitOptions, type LimitRule } from "./limit-options.ts";
import { LimitRuleState } from "./limit-rule.ts";
import { LocalCounters } from "./local-counters.ts";

export interface LimitParts {
  /** Default: counters in memory. */
  readonly counters?: CounterStore | undefined;
  /** True if the counters are those of several nodes. */
  readonly isShared?: boolean | undefined;
  /** The name of the server, which separates its counters from those of others in the same store. */
  readonly name: string;
  /** Receives failures that no caller may see. */
  readonly report?: (message: string, cause: unknown) => void;
}

/** A call that may run until it is released, or the error of one that may not. */
export type LimitOutcome = AcquiredCall | { readonly ok: false; readonly error: RpcError };

export interface AcquiredCall {
  readonly ok: true;
  readonly release: () => void;
}

/** The place that a call takes under a rule. */
interface HeldRule {
  readonly rule: LimitRuleState;
  readonly key: string;
}

/** The bytes of a large message that cost at least as much as a small call: to parse, and to check by two schemas. */
const bytesPerCall = 8 * 1024;
/** The part of a rate that one message takes at most, so that a small rate refuses no message for its size alone. */
const maxPartOfRate = 1 / 4;
const maxFlooding = 100_000;
/** The multiple of its rate beyond which the requests of a caller are not even read. */
const floodFactor = 2;
const uncounted: GuardedRequest = { method: "", params: {} };
const unlimited: AcquiredCall = { ok: true, release: () => {} };

/** The time that a counter store may take before calls go on without it. */
const counterMs = 500;

/** The rules of limits, with what callers have used of them. */
export class LimitRules {
  readonly #parts: LimitParts;
  readonly #counters: CounterStore;
  readonly #rules: readonly LimitRuleState[];
  /** Addresses with bad credentials; undefined where anonymous callers have no limit. */
  readonly failedAttempts: FailedAttempts | undefined;
  /** The callers far beyond their rate, by rule and key. */
  readonly #flooding = new ExpiringMap<true>(maxFlooding);
  /** Requests that are no calls. Nobody waits for a store because of them: a node learns later what came to others. */
  readonly #others = new LocalCounters(maxFlooding);

  constructor({ anonymous, rules }: Required<Pick<LimitOptions, "anonymous" | "rules">>, parts: LimitParts) {
    this.#parts = parts;
    this.#counters = parts.counters ?? new MemoryCounters();
    const anonymousRule = anonymous ? new LimitRuleState("anonymous", anonymous, "anonymous") : undefined;
    const countFailed = (key: string, perMs: number) => this.#countTogether("failed", key, perMs);
    this.failedAttempts =
      anonymousRule && new FailedAttempts(anonymousRule, parts.isShared ? countFailed : undefined);
    this.#rules = [
      ...(anonymousRule ? [anonymousRule] : []),
      ...rules.map((rule, index) => new LimitRuleState(toRuleId(rule, index), rule)),
    ];
  }

  /**
   * Counts a large message as several calls of its caller, whose next calls are refused earlier. A rate that all share
   * counts it as one: a stranger must not use it up with few messages.
   */
  countSize(caller: GuardedCaller, chars: number): void {
    for (const rule of this.#rules) {
      if (rule.isShared) continue;
      const key = rule.keyOf(uncounted, caller);
      const most = Math.floor((rule.calls ?? 0) * maxPartOfRate);
      const calls = Math.min(Math.floor(chars / bytesPerCall), most);
      if (key !== undefined && calls > 0) void this.#count({ rule, key }, calls);
    }
  }

  /**
   * Counts a request that starts no call. Each caller may have as many of them as calls; beyond that, nothing of it
   * is read for a while.
   */
  countOther(caller: GuardedCaller): void {
    for (const rule of this.#rules) {
      const key = rule.keyOf(uncounted, caller);
      const { calls, perMs } = rule;
      if (key === undefined || calls === undefined || rule.isShared) continue;
      const id = `${rule.id} ${key}`;
      const learn = ({ count, resetsInMs }: CounterValue) => {
        if (count > calls) this.#onFlood(id, resetsInMs);
      };
      learn(this.#others.count(id, 1, perMs));
      if (this.#parts.isShared) void this.#countTogether("other", id, perMs).then((sum) => sum && learn(sum));
    }
  }

  /** The error for a caller so far beyond its rate that its requests are not read. */
  floodError(caller: GuardedCaller): RpcError | undefined {
    if (this.#flooding.size === 0) return undefined;
    for (const rule of this.#rules) {
      const key = rule.keyOf(uncounted, caller);
      const known = key === undefined ? undefined : this.#flooding.get(`${rule.id} ${key}`);
      if (known) return limitReached(codeOf(rule), rule.tooManyCalls, known.expiresAt - Date.now());
    }
    return undefined;
  }

  /** Takes the place of a call under each rule that applies to it. A promise only where a counter store is asynchronous. */
  acquire(request: GuardedRequest, caller: GuardedCaller): MaybePromise<LimitOutcome> {
    const held: HeldRule[] = [];
    for (const rule of this.#rules) {
      const key = rule.keyOf(request, caller);
      if (key === undefined) continue;
      if (!rule.acquire(key)) {
        release(held);
        return { ok: false, error: limitReached(codeOf(rule), rule.tooManyRunning, busyMs) };
      }
      held.push({ rule, key });
    }
    return held.length === 0 ? unlimited : this.#acquireRates(held);
  }

  #acquireRates(held: readonly HeldRule[]): MaybePromise<LimitOutcome> {
    const settle = (excesses: readonly (RpcError | undefined)[]): LimitOutcome => {
      const error = excesses.find((excess) => excess !== undefined);
      if (error === undefined) return { ok: true, release: () => release(held) };
      release(held);
      return { ok: false, error };
    };
    const excesses = held.map((one) => this.#count(one, 1));
    const isAsync = excesses.some((excess) => excess instanceof Promise);
    return isAsync ? Promise.all(excesses).then(settle) : settle(excesses as (RpcError | undefined)[]);
  }

  /** Counts calls; the error for a call that is one too many. A counter store that fails refuses nobody. */
  #count({ rule, key }: HeldRule, by: number): MaybePromise<RpcError | undefined> {
    const { calls } = rule;
    if (calls === undefined) return undefined;
    const toExcess = ({ count, resetsInMs }: CounterValue) => {
      if (count <= calls) return undefined;
      if (count > floodFactor * calls && !rule.isShared) this.#onFlood(`${rule.id} ${key}`, resetsInMs);
      return limitReached(codeOf(rule), rule.tooManyCalls, resetsInMs);
    };
    const onFailure = (cause: unknown): undefined =>
      this.#report("Calls could not be counted, so they are not limited", cause);
    try {
      const counted = this.#counters.count(
        `limit ${JSON.stringify(this.#parts.name)} ${rule.id} ${key}`,
        by,
        rule.perMs,
      );
      if (!(counted instanceof Promise)) return toExcess(counted);
      return withinTime(counted).then(toExcess, onFailure);
    } catch (error) {
      return onFailure(error);
    }
  }

  /** Counts with the other nodes. Never rejects: each node counts by itself, too. */
  async #countTogether(
    kind: "failed" | "other",
    key: string,
    perMs: number,
  ): Promise<CounterValue | undefined> {
    const { name } = this.#parts;
    try {
      return await this.#counters.count(`${kind} ${JSON.stringify(name)} ${key}`, 1, perMs);
    } catch (cause) {
      return this.#report("Requests could not be counted with those at other nodes", cause);
    }
  }

  #onFlood(key: string, resetsInMs: number): void {
    if (this.#flooding.get(key) || this.#flooding.size >= maxFlooding) return;
    this.#flooding.set(key, true, resetsInMs);
  }

  #report(message: string, cause: unknown): undefined {
    this.#parts.report?.(message, cause);
  }
}

/** Rules with the same place in two lists may share a store, but not a count. */
function toRuleId({ tools = [], by = "caller", perMs = 60_000 }: LimitRule, index: number): string {
  return `${index} ${JSON.stringify([by, perMs, ...tools])}`;
}

function release(held: readonly HeldRule[]): void {
  for (const { rule, key } of held) rule.release(key);
}

function codeOf(rule: LimitRuleState): number {
  return rule.isShared ? LimitCode.overloaded : LimitCode.tooMany;
}

function withinTime(counted: Promise<CounterValue>): Promise<CounterValue> {
  return waitAtMost(counterMs, counted, () => {
    throw new Error(`No count within ${counterMs} ms.`);
  });
}

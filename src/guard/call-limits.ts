import { toShareKey } from "../contract/caller/share-key.ts";
import type { RpcError } from "../errors.ts";
import type { MaybePromise } from "../lib/async/maybe-promise.ts";
import { Throttle } from "../lib/async/throttle.ts";
import { waitAtMost } from "../lib/async/wait-at-most.ts";
import { ExpiringMap } from "../lib/bounded/expiring-map.ts";
import { FairRoom } from "../lib/bounded/fair-room.ts";
import { LimitCode, limitReached } from "../protocol/limit-error.ts";
import { methods } from "../protocol/method-table.ts";
import { MemoryCounters } from "../state/memory/counters.ts";
import type { CounterStore, CounterValue } from "../state/state.ts";
import {
  type AuditSink,
  beginAuditEntry,
  type GuardedCaller,
  type GuardedRequest,
  writeAuditEntry,
} from "./audit.ts";
import { FailedAttempts } from "./failed-attempts.ts";
import { assertPositive, defaultLimits, type LimitOptions, type LimitRule } from "./limit-options.ts";
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

interface AcquiredCall {
  readonly ok: true;
  readonly release: () => void;
}

/** The place that a call takes under a rule. */
interface HeldRule {
  readonly rule: LimitRuleState;
  readonly key: string;
}

const largeMessageBytes = 64 * 1024;
/** The bytes of a large message that cost at least as much as a small call: to parse, and to check by two schemas. */
const bytesPerCall = 8 * 1024;
/** The part of a rate that one message takes at most, so that a small rate refuses no message for its size alone. */
const maxPartOfRate = 1 / 4;
const maxFlooding = 100_000;
/** The multiple of its rate beyond which the requests of a caller are not even read. */
const floodFactor = 2;
const uncounted: GuardedRequest = { method: "", params: {} };

/** The time that a counter store may take before calls go on without it. */
const counterMs = 500;
const busyMs = 1_000;

/** Lets calls run as long as there is room for them. */
export class CallLimits {
  readonly #parts: LimitParts;
  readonly #counters: CounterStore;
  readonly #rules: readonly LimitRuleState[];
  /** Addresses with bad credentials; undefined where anonymous callers have no limit. */
  readonly failedAttempts: FailedAttempts | undefined;
  readonly #onRefused: AuditSink | undefined;
  readonly #running: FairRoom;
  readonly #runningBytes: FairRoom;
  readonly #listening: FairRoom;
  /** The callers far beyond their rate, by rule and key. */
  readonly #flooding = new ExpiringMap<true>(maxFlooding);
  /** Requests that are no calls. Nobody waits for a store because of them: a node learns later what came to others. */
  readonly #others = new LocalCounters(maxFlooding);
  readonly #reports = new Throttle(60_000);
  readonly #runningCall: AcquiredCall = { ok: true, release: () => this.#running.giveBack(1) };

  constructor(options: LimitOptions, parts: LimitParts) {
    const { running = defaultLimits.running, listening = defaultLimits.listening, rules = [] } = options;
    const { runningBytes = defaultLimits.runningBytes, anonymous = defaultLimits.anonymous } = options;
    assertPositive({ running, runningBytes, listening });
    this.#parts = parts;
    this.#counters = parts.counters ?? new MemoryCounters();
    this.#running = new FairRoom(running);
    this.#runningBytes = new FairRoom(runningBytes);
    this.#listening = new FairRoom(listening);
    this.#onRefused = options.onRefused;
    const anonymousRule = anonymous ? new LimitRuleState("anonymous", anonymous, "anonymous") : undefined;
    const countFailed = (key: string, perMs: number) => this.#countTogether("failed", key, perMs);
    this.failedAttempts =
      anonymousRule && new FailedAttempts(anonymousRule, parts.isShared ? countFailed : undefined);
    this.#rules = [
      ...(anonymousRule ? [anonymousRule] : []),
      ...rules.map((rule, index) => new LimitRuleState(toRuleId(rule, index), rule)),
    ];
  }

  /** The number of running calls. */
  get running(): number {
    return this.#running.used;
  }

  /** The error for every new call while there is room for none. */
  get overloadError(): RpcError | undefined {
    return this.#running.isFull ? serverBusy() : undefined;
  }

  /**
   * Counts a large message as several calls of its caller, whose next calls are refused earlier. A rate that all share
   * counts it as one: a stranger must not use it up with few messages.
   */
  countSize(caller: GuardedCaller, chars = 0): void {
    if (chars <= largeMessageBytes) return;
    for (const rule of this.#rules) {
      if (rule.isShared) continue;
      const key = rule.keyOf(uncounted, caller);
      const most = Math.floor((rule.calls ?? 0) * maxPartOfRate);
      const calls = Math.min(Math.floor(chars / bytesPerCall), most);
      if (key !== undefined && calls > 0) void this.#count({ rule, key }, calls);
    }
  }

  /**
   * Counts a request that starts no call: a notification, a response, a body that can't be used. Each
   * caller may have as many of them as calls; beyond that, nothing of it is read for a while.
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

  /** Takes a place for a call, and room for a large message of so many characters. A promise only where a counter store is asynchronous. */
  acquire(request: GuardedRequest, caller: GuardedCaller, chars = 0): MaybePromise<LimitOutcome> {
    const room = methods.get(request.method)?.listens ? this.#listening : this.#running;
    const acquired = this.#takePlace(room, caller, chars > largeMessageBytes ? chars : 0);
    if (acquired) return this.#acquireRules(request, caller, acquired);
    const error = room === this.#running ? serverBusy() : tooManyStreams();
    return this.#refuse(request, caller, error);
  }

  /** Takes places for the calls of a batch: for all or for none. */
  async acquireAll(
    requests: readonly GuardedRequest[],
    caller: GuardedCaller,
    chars = 0,
  ): Promise<LimitOutcome> {
    const acquired: AcquiredCall[] = [];
    const releaseAll = () => {
      for (const call of acquired) call.release();
    };
    for (const request of requests) {
      const outcome = await this.acquire(request, caller, acquired.length === 0 ? chars : 0);
      if (!outcome.ok) {
        releaseAll();
        return outcome;
      }
      acquired.push(outcome);
    }
    return { ok: true, release: releaseAll };
  }

  /** Reports a request that was refused before it was read. */
  reportUnreadRefusal(error: RpcError, address: string | undefined): void {
    this.#reportRefusal(error, address);
    if (this.#onRefused) {
      const unknown = { method: undefined, target: undefined, principal: undefined, client: undefined };
      const end = { outcome: "refused", code: error.wireCode, durationMs: 0 } as const;
      writeAuditEntry(this.#onRefused, { at: new Date(), ...unknown, address, ...end });
    }
  }

  #takePlace(room: FairRoom, caller: GuardedCaller, bytes: number): AcquiredCall | undefined {
    if (room === this.#running && bytes === 0 && !room.isCrowdedBy(1))
      return room.take(1) ? this.#runningCall : undefined;
    const key = toShareKey(caller);
    const placeKey = room.isCrowdedBy(1) ? key : undefined;
    const bytesKey = this.#runningBytes.isCrowdedBy(bytes) ? key : undefined;
    if (!room.take(1, placeKey)) return undefined;
    if (bytes > 0 && !this.#runningBytes.take(bytes, bytesKey)) {
      room.giveBack(1, placeKey);
      return undefined;
    }
    const release = () => {
      room.giveBack(1, placeKey);
      if (bytes > 0) this.#runningBytes.giveBack(bytes, bytesKey);
    };
    return { ok: true, release };
  }

  #acquireRules(
    request: GuardedRequest,
    caller: GuardedCaller,
    acquired: AcquiredCall,
  ): MaybePromise<LimitOutcome> {
    let held: HeldRule[] | undefined;
    for (const rule of this.#rules) {
      const key = rule.keyOf(request, caller);
      if (key === undefined) continue;
      if (!rule.acquire(key)) {
        releaseHeld(acquired, held);
        return this.#refuse(request, caller, limitReached(codeOf(rule), rule.tooManyRunning, busyMs));
      }
      held ??= [];
      held.push({ rule, key });
    }
    return held === undefined ? acquired : this.#acquireRates(request, caller, acquired, held);
  }

  #acquireRates(
    request: GuardedRequest,
    caller: GuardedCaller,
    acquired: AcquiredCall,
    held: readonly HeldRule[],
  ): MaybePromise<LimitOutcome> {
    const settle = (excesses: readonly (RpcError | undefined)[]): LimitOutcome => {
      const error = excesses.find((excess) => excess !== undefined);
      if (error === undefined) return { ok: true, release: () => releaseHeld(acquired, held) };
      releaseHeld(acquired, held);
      return this.#refuse(request, caller, error);
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
    const onFailure = (cause: unknown) =>
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

  #refuse(request: GuardedRequest, caller: GuardedCaller, error: RpcError): LimitOutcome {
    this.#reportRefusal(error, caller.address);
    if (this.#onRefused) {
      const end = { outcome: "refused", code: error.wireCode, durationMs: 0 } as const;
      writeAuditEntry(this.#onRefused, { at: new Date(), ...beginAuditEntry(request, caller), ...end });
    }
    return { ok: false, error };
  }

  #reportRefusal(error: RpcError, address: string | undefined): void {
    this.#report(
      `Calls are being refused, the last one from ${address ?? "an unknown address"}`,
      error.message,
    );
  }

  /** Reports at most once a minute: a client that floods the server must not flood its log. */
  #report(message: string, cause: unknown): undefined {
    if (this.#reports.isDue()) this.#parts.report?.(message, cause);
  }
}

function serverBusy(): RpcError {
  return limitReached(LimitCode.overloaded, "The server is busy", busyMs);
}

function tooManyStreams(): RpcError {
  return limitReached(LimitCode.overloaded, "Too many streams are open", 5 * busyMs);
}

/** Rules with the same place in two lists may share a store, but not a count. */
function toRuleId({ tools = [], by = "caller", perMs = 60_000 }: LimitRule, index: number): string {
  return `${index} ${JSON.stringify([by, perMs, ...tools])}`;
}

function releaseHeld(acquired: AcquiredCall, held: readonly HeldRule[] = []): void {
  acquired.release();
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

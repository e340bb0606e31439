import { toShareKey } from "../contract/caller/share-key.ts";
import type { RpcError } from "../errors.ts";
import { andThen, type MaybePromise } from "../lib/async/maybe-promise.ts";
import { OnDemand } from "../lib/async/on-demand.ts";
import { Throttle } from "../lib/async/throttle.ts";
import { FairRoom } from "../lib/bounded/fair-room.ts";
import { LimitCode, limitReached } from "../protocol/limit-error.ts";
import { methods } from "../protocol/method-table.ts";
import {
  type AuditSink,
  beginAuditEntry,
  type GuardedCaller,
  type GuardedRequest,
  writeAuditEntry,
} from "./audit.ts";
import type { FailedAttempts } from "./failed-attempts.ts";
import {
  assertLimitRule,
  assertPositive,
  busyMs,
  defaultLimits,
  isStranger,
  type LimitOptions,
} from "./limit-options.ts";
import type { AcquiredCall, LimitOutcome, LimitParts, LimitRules } from "./limit-rules.ts";

export type { LimitOutcome };

const largeMessageBytes = 64 * 1024;

/** Lets calls run as long as there is room for them, and the rules for their caller allow it. */
export class CallLimits {
  readonly #report: (message: string, cause: unknown) => void;
  readonly #onRefused: AuditSink | undefined;
  readonly #running: FairRoom;
  readonly #runningBytes: FairRoom;
  readonly #listening: FairRoom;
  readonly #runningCall: AcquiredCall = { ok: true, release: () => this.#running.giveBack(1) };
  /** Loaded with the first caller to whom one may apply: callers on this machine have none by default. */
  readonly #rules: OnDemand<LimitRules>;
  #loadedRules: LimitRules | undefined;
  readonly #hasRuleFor: (caller: GuardedCaller) => boolean;

  /** The counters may be those of a store that is not open yet: they are asked for with the rules. */
  constructor(
    options: LimitOptions,
    parts: Omit<LimitParts, "counters"> & { readonly counters?: () => MaybePromise<LimitParts["counters"]> },
  ) {
    const { running = defaultLimits.running, listening = defaultLimits.listening, rules = [] } = options;
    const { runningBytes = defaultLimits.runningBytes, anonymous = defaultLimits.anonymous } = options;
    assertPositive({ running, runningBytes, listening });
    for (const rule of anonymous ? [anonymous, ...rules] : rules) assertLimitRule(rule);
    this.#running = new FairRoom(running);
    this.#runningBytes = new FairRoom(runningBytes);
    this.#listening = new FairRoom(listening);
    this.#onRefused = options.onRefused;
    // At most once a minute: a client that floods the server must not flood its log.
    const reports = new Throttle(60_000);
    this.#report = (message, cause) => {
      if (reports.isDue()) parts.report?.(message, cause);
    };
    this.#hasRuleFor = (caller) => rules.length > 0 || (anonymous !== false && isStranger(caller));
    this.#rules = new OnDemand(async () => {
      const { LimitRules } = await import("./limit-rules.ts");
      const counters = await parts.counters?.();
      this.#loadedRules = new LimitRules({ anonymous, rules }, { ...parts, counters, report: this.#report });
      return this.#loadedRules;
    });
  }

  /** The number of running calls. */
  get running(): number {
    return this.#running.used;
  }

  /** The error for every new call while there is room for none. */
  get overloadError(): RpcError | undefined {
    return this.#running.isFull ? serverBusy() : undefined;
  }

  /** Addresses with bad credentials; undefined where anonymous callers have no limit. */
  get failedAttempts(): MaybePromise<FailedAttempts | undefined> {
    return this.#rules.use((rules) => rules.failedAttempts);
  }

  /** Counts a large message as several calls of its caller, whose next calls are refused earlier. */
  countSize(caller: GuardedCaller, chars = 0): void {
    if (chars > largeMessageBytes) this.#count(caller, (rules) => rules.countSize(caller, chars));
  }

  /** Counts a request that starts no call: a notification, a response, a body that can't be used. */
  countOther(caller: GuardedCaller): void {
    this.#count(caller, (rules) => rules.countOther(caller));
  }

  /** The error for a caller so far beyond its rate that its requests are not read. */
  floodError(caller: GuardedCaller): RpcError | undefined {
    return this.#loadedRules?.floodError(caller);
  }

  /** Takes a place for a call, and room for a large message of so many characters. A promise only while rules are loaded, and where a counter store is asynchronous. */
  acquire(request: GuardedRequest, caller: GuardedCaller, chars = 0): MaybePromise<LimitOutcome> {
    if (!this.#hasRuleFor(caller)) return this.#takePlace(request, caller, chars);
    return this.#rules.use((rules) => {
      const place = this.#takePlace(request, caller, chars);
      if (!place.ok) return place;
      return andThen(rules.acquire(request, caller), (held) => {
        if (held.ok) return { ok: true, release: () => releaseBoth(place, held) };
        place.release();
        return this.#refuse(request, caller, held.error);
      });
    });
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

  #takePlace(request: GuardedRequest, caller: GuardedCaller, chars: number): LimitOutcome {
    const room = methods.get(request.method)?.listens ? this.#listening : this.#running;
    const place = this.#takeRoom(room, caller, chars > largeMessageBytes ? chars : 0);
    if (place) return place;
    const error = room === this.#running ? serverBusy() : tooManyStreams();
    return this.#refuse(request, caller, error);
  }

  #takeRoom(room: FairRoom, caller: GuardedCaller, bytes: number): AcquiredCall | undefined {
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

  /** Counts by the rules, where one may apply. Nobody waits for it. */
  #count(caller: GuardedCaller, action: (rules: LimitRules) => void): void {
    if (!this.#hasRuleFor(caller)) return;
    this.#rules.tryUse(action, (cause) => this.#report("Requests could not be counted", cause));
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
}

function serverBusy(): RpcError {
  return limitReached(LimitCode.overloaded, "The server is busy", busyMs);
}

function tooManyStreams(): RpcError {
  return limitReached(LimitCode.overloaded, "Too many streams are open", 5 * busyMs);
}

function releaseBoth(place: AcquiredCall, held: AcquiredCall): void {
  place.release();
  held.release();
}

import type { RpcError } from "../errors.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import { waitAtMost } from "../lib/wait-at-most.ts";
import { methods } from "../protocol/methods.ts";
import type { CounterStore, CounterValue } from "../state/state.ts";
import {
  type AuditSink,
  describeRequest,
  type GuardedCaller,
  type GuardedRequest,
  writeAuditEntry,
} from "./audit-entry.ts";
import { FailedAttempts } from "./failed-attempts.ts";
import { LimitCode, limitReached } from "./limit-error.ts";
import { type Allowance, assertPositive, type LimitRule, LimitRuleState } from "./limit-rule.ts";

export interface LimitOptions {
  /**
   * Calls under way at once, whoever makes them; what is beyond is answered with 503.
   * Streams of `subscriptions/listen` don't count. Default 1,000.
   */
  readonly running?: number;
  /** Streams of `subscriptions/listen` open at once. Default 10,000. */
  readonly listening?: number;
  /**
   * For each address of callers without a principal; this machine is excepted, and so are
   * those whose address is not known. Default 6,000 calls a minute and 100 at once; `false` for none.
   */
  readonly anonymous?: Allowance | false;
  /** Further limits. A call must be within all that are about it. */
  readonly rules?: readonly LimitRule[];
  /** Told of each call that is refused; see `audit` for the others. */
  readonly onRefused?: AuditSink;
}

/** What holds unless it is set otherwise. */
export const defaultLimits = {
  running: 1_000,
  listening: 10_000,
  anonymous: { calls: 6_000, perMs: 60_000, running: 100 },
} as const;

export interface LimitParts {
  readonly counters: CounterStore;
  /** Takes what went wrong and no caller may see. */
  readonly report?: (message: string, cause: unknown) => void;
}

/** A call that was let in, until it leaves; or why it was not. */
export type LimitOutcome = Entered | { readonly ok: false; readonly error: RpcError };

interface Entered {
  readonly ok: true;
  readonly release: () => void;
}

/** A place that a call has taken under a rule. */
interface Held {
  readonly rule: LimitRuleState;
  readonly key: string;
}

/** How long a store of counters may take before calls go on without it. */
const counterMs = 500;
const busyMs = 1_000;

/** Lets calls in as long as there is room for them. */
export class CallLimits {
  readonly #parts: LimitParts;
  readonly #rules: readonly LimitRuleState[];
  /** Those whose credentials were not good; undefined where strangers have no limit. */
  readonly failedAttempts: FailedAttempts | undefined;
  readonly #onRefused: AuditSink | undefined;
  readonly #most: { readonly running: number; readonly listening: number };
  #running = 0;
  #listening = 0;
  #reportAt = 0;
  readonly #afterRunning: Entered = { ok: true, release: () => void this.#running-- };
  readonly #afterListening: Entered = { ok: true, release: () => void this.#listening-- };

  constructor(options: LimitOptions, parts: LimitParts) {
    const { running = defaultLimits.running, listening = defaultLimits.listening, rules = [] } = options;
    const { anonymous = defaultLimits.anonymous } = options;
    assertPositive({ running, listening });
    this.#parts = parts;
    this.#most = { running, listening };
    this.#onRefused = options.onRefused;
    const strangers = anonymous ? new LimitRuleState("anonymous", anonymous, "anonymous") : undefined;
    this.failedAttempts = strangers && new FailedAttempts(strangers);
    this.#rules = [
      ...(strangers ? [strangers] : []),
      ...rules.map((rule, index) => new LimitRuleState(String(index), rule)),
    ];
  }

  /** Calls that are under way. */
  get running(): number {
    return this.#running;
  }

  /** The refusal of whatever comes now, when there is no room for any call. */
  get overloadError(): RpcError | undefined {
    if (this.#running < this.#most.running) return undefined;
    return limitReached(LimitCode.overloaded, "The server is busy", busyMs);
  }

  /** A promise only where a store takes its time. */
  acquire(asked: GuardedRequest, asker: GuardedCaller): MaybePromise<LimitOutcome> {
    const isListening = methods.get(asked.method)?.listens === true;
    const error = isListening ? this.#fullOfListeners : this.overloadError;
    if (error) return this.#refuse(asked, asker, error);
    if (isListening) this.#listening++;
    else this.#running++;
    const plain = isListening ? this.#afterListening : this.#afterRunning;
    return this.#underRules(asked, asker, plain);
  }

  /** Lets several in that came together: all or none. */
  async acquireAll(requests: readonly GuardedRequest[], asker: GuardedCaller): Promise<LimitOutcome> {
    const entered: Entered[] = [];
    for (const request of requests) {
      const entry = await this.acquire(request, asker);
      if (entry.ok) {
        entered.push(entry);
        continue;
      }
      for (const { release: leave } of entered) leave();
      return entry;
    }
    return { ok: true, release: () => entered.forEach(({ release: leave }) => void leave()) };
  }

  /** Tells of a request that was refused before it was read. */
  reportUnreadRefusal(error: RpcError, address: string | undefined): void {
    this.#noteRefusal(error, address);
    if (this.#onRefused) {
      const unknown = { method: undefined, target: undefined, principal: undefined, client: undefined };
      const end = { outcome: "refused", code: error.wireCode, durationMs: 0 } as const;
      writeAuditEntry(this.#onRefused, { at: new Date(), ...unknown, address, ...end });
    }
  }

  #underRules(asked: GuardedRequest, asker: GuardedCaller, plain: Entered): MaybePromise<LimitOutcome> {
    let held: Held[] | undefined;
    for (const rule of this.#rules) {
      const key = rule.keyOf(asked, asker);
      if (key === undefined) continue;
      if (!rule.acquire(key)) {
        leaveAll(plain, held);
        return this.#refuse(asked, asker, limitReached(codeOf(rule), rule.tooManyRunning, busyMs));
      }
      held ??= [];
      held.push({ rule, key });
    }
    return held === undefined ? plain : this.#underRates(asked, asker, plain, held);
  }

  #underRates(
    asked: GuardedRequest,
    asker: GuardedCaller,
    plain: Entered,
    held: readonly Held[],
  ): MaybePromise<LimitOutcome> {
    const settle = (excesses: readonly (RpcError | undefined)[]): LimitOutcome => {
      const error = excesses.find((excess) => excess !== undefined);
      if (error === undefined) return { ok: true, release: () => leaveAll(plain, held) };
      leaveAll(plain, held);
      return this.#refuse(asked, asker, error);
    };
    const excesses = held.map((one) => this.#excess(one));
    const isLater = excesses.some((excess) => excess instanceof Promise);
    return isLater ? Promise.all(excesses).then(settle) : settle(excesses as (RpcError | undefined)[]);
  }

  /** Counts a call; the refusal when that is one too many. A store that fails refuses nobody. */
  #excess({ rule, key }: Held): MaybePromise<RpcError | undefined> {
    const { calls } = rule;
    if (calls === undefined) return undefined;
    const toExcess = ({ count, resetsInMs }: CounterValue) =>
      count > calls ? limitReached(codeOf(rule), rule.tooManyCalls, resetsInMs) : undefined;
    const onFailure = (cause: unknown) =>
      this.#report("Calls could not be counted, so they are not limited", cause);
    try {
      const counted = this.#parts.counters.count(`limit ${rule.id} ${key}`, 1, rule.perMs);
      if (!(counted instanceof Promise)) return toExcess(counted);
      return withinTime(counted).then(toExcess, onFailure);
    } catch (error) {
      return onFailure(error);
    }
  }

  get #fullOfListeners(): RpcError | undefined {
    if (this.#listening < this.#most.listening) return undefined;
    return limitReached(LimitCode.overloaded, "Too many streams are open", 5 * busyMs);
  }

  #refuse(asked: GuardedRequest, asker: GuardedCaller, error: RpcError): LimitOutcome {
    this.#noteRefusal(error, asker.address);
    if (this.#onRefused) {
      const end = { outcome: "refused", code: error.wireCode, durationMs: 0 } as const;
      writeAuditEntry(this.#onRefused, { at: new Date(), ...describeRequest(asked, asker), ...end });
    }
    return { ok: false, error };
  }

  #noteRefusal(error: RpcError, address: string | undefined): void {
    this.#report(
      `Calls are being refused, the last one from ${address ?? "an unknown address"}`,
      error.message,
    );
  }

  /** At most one line a minute: who floods the server must not flood its log. */
  #report(message: string, cause: unknown): undefined {
    const now = Date.now();
    if (now < this.#reportAt) return;
    this.#reportAt = now + 60_000;
    this.#parts.report?.(message, cause);
  }
}

function leaveAll(plain: Entered, held: readonly Held[] = []): void {
  plain.release();
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

import { assertOptions, type OptionKinds } from "../contract/options.ts";
import { UsageError } from "../errors.ts";
import { isCanonicalLoopbackHost } from "../lib/loopback.ts";
import type { AuditSink, GuardedCaller } from "./audit.ts";

/** A number of calls, within a time and at once. */
export interface Allowance {
  /** Calls within `perMs`, at most. Default: any number. */
  readonly calls?: number;
  /** The window in which calls are counted, in milliseconds; it begins with the first. Default one minute. */
  readonly perMs?: number;
  /** Calls that run at once on this node, at most. Default: any number. */
  readonly running?: number;
}

/** A limit for some calls. A call beyond it is refused with 429, or with 503 where all callers share the limit. */
export interface LimitRule extends Allowance {
  /** Only calls of these tools. Default: every request. */
  readonly tools?: readonly string[];
  /**
   * The calls that are counted together. Default `caller`: those of one principal, or of one
   * address where there is none. `principal` and `address` do not count callers without one;
   * `all` counts all callers.
   */
  readonly by?: "caller" | "principal" | "address" | "all";
}

const allowanceKinds: OptionKinds<Allowance> = { calls: "number", perMs: "number", running: "number" };

const ruleKinds: OptionKinds<LimitRule> = {
  ...allowanceKinds,
  tools: "strings",
  by: ["caller", "principal", "address", "all"],
};

export interface LimitOptions {
  /**
   * Calls that run at once, from all callers; further ones are answered with 503. Beyond half of them, a
   * principal or address has at most as many as it leaves free.
   * Streams of `subscriptions/listen` don't count. Default 1,000.
   */
  readonly running?: number;
  /** Bytes of the large messages, over 64 KiB, of calls that run at once; shared like `running`. Default 256 MiB. */
  readonly runningBytes?: number;
  /** Streams of `subscriptions/listen` open at once; shared like `running`. Default 10,000. */
  readonly listening?: number;
  /**
   * The limit for each address of callers without a principal. It does not apply to this machine, nor
   * to callers whose address is not known. Default 6,000 calls a minute and 100 at once; `false` for none.
   */
  readonly anonymous?: Allowance | false;
  /** Further limits. A call must be within all that apply to it. */
  readonly rules?: readonly LimitRule[];
  /** Receives each call that is refused; see `audit` for the others. */
  readonly onRefused?: AuditSink;
}

export const limitOptionKinds: OptionKinds<LimitOptions> = {
  running: "number",
  runningBytes: "number",
  listening: "number",
  anonymous: { "": "false", ...allowanceKinds },
  rules: "array",
  onRefused: "function",
};

export const defaultLimits = {
  running: 1_000,
  runningBytes: (256 * 1024 * 1024) as number,
  listening: 10_000,
  anonymous: { calls: 6_000, perMs: 60_000, running: 100 },
} as const;

/** The time after which a call that found no room may come again. */
export const busyMs = 1_000;

/** True for the callers that `anonymous` limits: those without a principal from another machine. */
export function isStranger({ principal, address }: GuardedCaller): boolean {
  return principal === undefined && address !== undefined && !isCanonicalLoopbackHost(address);
}

export function assertLimitRule(rule: LimitRule): void {
  assertOptions("A rule of limits", rule, ruleKinds);
  const { calls, perMs, running } = rule;
  assertPositive({ calls, perMs, running });
}

export function assertPositive(numbers: { readonly [name: string]: number | undefined }): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (value === undefined || (Number.isInteger(value) && value > 0)) continue;
    throw new UsageError(`limits: ${name} must be a positive integer; leave it out for no limit.`);
  }
}

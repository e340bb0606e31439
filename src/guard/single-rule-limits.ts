import { CallLimits, type LimitParts } from "./call-limits.ts";
import type { LimitRule } from "./limit-options.ts";

const unlimited = Number.MAX_SAFE_INTEGER;

/** The limits of one rule alone. */
export function toSingleRuleLimits(rule: LimitRule, parts: LimitParts): CallLimits {
  return new CallLimits({ running: unlimited, listening: unlimited, anonymous: false, rules: [rule] }, parts);
}

import type { Call } from "../contract/call.ts";
import type { JsonObject } from "../lib/json.ts";
import { MemoryCounters } from "../state/memory/counters.ts";
import type { CounterStore } from "../state/state.ts";
import { CallLimits } from "./call-limits.ts";
import type { LimitRule } from "./limit-rule.ts";

export interface RateLimitOptions extends LimitRule {
  /** Where calls are counted; `state.counters` for a count that all nodes share. Default: in memory. */
  readonly counters?: CounterStore;
}

/** Stands around a request of a server; `server.use` takes it. */
type Around = (call: Call, next: () => Promise<JsonObject>) => Promise<JsonObject>;

const maxCounters = 1_000_000;
const unlimited = Number.MAX_SAFE_INTEGER;

/**
 * Limits calls whatever transport they come over: `server.use(rateLimit({ calls: 60 }))`.
 *
 * What is beyond is refused with an RpcError whose `data.retryAfterMs` says when to try again,
 * and over HTTP with its status. The `limits` of an HTTP entry refuse earlier, and cheaper.
 */
export function rateLimit({ counters = new MemoryCounters(maxCounters), ...rule }: RateLimitOptions): Around {
  const options = { running: unlimited, listening: unlimited, anonymous: false, rules: [rule] } as const;
  const limits = new CallLimits(options, { counters });
  return async (call, next) => {
    const entry = await limits.acquire(call, call);
    if (!entry.ok) throw entry.error;
    try {
      return await next();
    } finally {
      entry.release();
    }
  };
}

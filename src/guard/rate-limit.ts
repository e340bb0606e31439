import type { Call } from "../contract/call.ts";
import { assertOptions, type OptionKinds } from "../contract/options.ts";
import { UsageError } from "../errors.ts";
import { OnDemand } from "../lib/async/on-demand.ts";
import type { JsonObject } from "../lib/json.ts";
import type { CounterStore } from "../state/state.ts";
import { assertLimitRule, type LimitRule } from "./limit-options.ts";

export interface RateLimitOptions extends LimitRule {
  /** The store in which calls are counted; `state.counters` for a count that all nodes share. Default: in memory. */
  readonly counters?: CounterStore;
  /** The name that separates its counts from those of other servers in the same store. Must be given with `counters`. */
  readonly name?: string;
}

/** A middleware for `server.use`. */
type RateLimitMiddleware = (call: Call, next: () => Promise<JsonObject>) => Promise<JsonObject>;

const rateLimitKinds: OptionKinds<RateLimitOptions> = {
  calls: "positive",
  perMs: "positive",
  running: "positive",
  tools: "strings",
  by: ["caller", "principal", "address", "all"],
  counters: "object",
  name: "string",
};

/**
 * Limits calls whatever transport they come over: `server.use(rateLimit({ calls: 60 }))`.
 *
 * Further calls are refused with an RpcError whose `data.retryAfterMs` is the time to wait, and over
 * HTTP with its status. The `limits` of an HTTP entry refuse earlier, and at a lower cost.
 */
export function rateLimit(given: RateLimitOptions): RateLimitMiddleware {
  assertOptions("rateLimit", given, rateLimitKinds);
  if (given.counters && given.name === undefined)
    throw new UsageError(
      "rateLimit: give a name with counters, such as that of the server; others may count in the same store.",
    );
  const { counters, name = "", ...rule } = given;
  assertLimitRule(rule);
  // Loaded with the first call: servers without limits start faster without it.
  const limits = new OnDemand(async () => {
    const { LimitRules } = await import("./limit-rules.ts");
    return new LimitRules({ anonymous: false, rules: [rule] }, { counters, name });
  });
  return async (call, next) => {
    const outcome = await limits.use((loaded) => loaded.acquire(call, call));
    if (!outcome.ok) throw outcome.error;
    try {
      return await next();
    } finally {
      outcome.release();
    }
  };
}

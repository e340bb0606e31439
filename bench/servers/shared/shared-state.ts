import type { State } from "allspeak/http";
import { redis } from "allspeak/state/redis";

export const redisUrl = "redis://127.0.0.1:6379";

/** The state that the nodes of a benchmark share; undefined for a server that is alone. */
export function openSharedState(): State | undefined {
  const prefix = process.env.ALLSPEAK_BENCH_PREFIX;
  return prefix === undefined ? undefined : redis(redisUrl, { prefix, durability: "none" });
}

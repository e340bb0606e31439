export type { RedisTarget } from "./state/redis/client/connector.ts";
export type { IoredisClient } from "./state/redis/client/ioredis.ts";
export type { NodeRedisClient } from "./state/redis/client/node-redis.ts";
export { type RedisStateOptions, redis } from "./state/redis/redis-state.ts";
export type { DurabilityLevel, State } from "./state/state.ts";

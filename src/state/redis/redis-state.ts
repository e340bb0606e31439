import { UsageError } from "../../errors.ts";
import { findOptionProblem, type OptionKinds } from "../../lib/option-check.ts";
import { askForDurability, durabilityLevels } from "../durability.ts";
import type { DurabilityLevel, State } from "../state.ts";
import { type StreamLimits, streamLimitKinds, toStreamRoom } from "../stream-limits.ts";
import { type TaskLimits, TaskRoom, taskLimitKinds } from "../task-limits.ts";
import type { RedisConnector } from "./client/connection.ts";
import { type RedisTarget, toConnector } from "./client/connector.ts";
import { RedisClient } from "./client/redis-client.ts";
import { RedisCounters } from "./counters.ts";
import { readDurability } from "./durability.ts";
import { RedisEvents } from "./events.ts";
import { RedisSessions } from "./sessions.ts";
import { RedisTasks } from "./tasks.ts";
import { RedisValues } from "./values.ts";

export interface RedisStateOptions extends TaskLimits, StreamLimits {
  /** The beginning of all keys and channels. Default `allspeak`. */
  readonly prefix?: string;
  /** The failure that acknowledged writes must survive; `durability()` warns where the server promises less. Default `store-crash`. */
  readonly durability?: DurabilityLevel;
}

const defaultPrefix = "allspeak";

const optionKinds: OptionKinds<RedisStateOptions> = {
  prefix: "string",
  ...streamLimitKinds,
  durability: durabilityLevels,
  ...taskLimitKinds,
};

/**
 * State in Redis or Valkey (6.2 or newer, one server), shared by all nodes that use it.
 *
 * `target` is a URL, or a client of `ioredis` or of `redis` (5 or newer). With a URL, the state opens connections of its own with
 * its first use, and `close()` closes them. A client is used as it is, and stays open; the channels get a duplicate of it.
 */
export function redis(target: RedisTarget, options: RedisStateOptions = {}): State {
  const problem = findOptionProblem("redis", options, optionKinds);
  if (problem !== undefined) throw new UsageError(problem);
  if (!/^[\w.:-]{1,100}$/.test(options.prefix ?? defaultPrefix))
    throw new UsageError('redis: the option "prefix" may contain letters, digits, ".", ":", "_" and "-".');
  return createRedisState(toConnector(target), options);
}

export function createRedisState(connector: RedisConnector, options: RedisStateOptions): State {
  const { prefix = defaultPrefix, durability } = options;
  const client = new RedisClient(connector);
  return {
    isShared: true,
    maxTaskChars: options.maxTaskChars,
    sessions: new RedisSessions(client, prefix),
    events: new RedisEvents(client, prefix, toStreamRoom(options)),
    values: new RedisValues(client, prefix),
    counters: new RedisCounters(client, prefix),
    tasks: new RedisTasks(client, prefix, new TaskRoom(options)),
    durability: () => askForDurability(() => readDurability(client, durability)),
    close: () => client.close(),
  };
}

import type { CounterStore, CounterValue } from "../state.ts";
import type { RedisClient } from "./client/redis-client.ts";
import { Script } from "./client/script.ts";
import { toDuration } from "./duration.ts";

const countScript = new Script(`
local count = redis.call('INCRBYFLOAT', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  left = tonumber(ARGV[2])
end
return {count, left}`);

export class RedisCounters implements CounterStore {
  readonly #client: RedisClient;
  readonly #prefix: string;

  constructor(client: RedisClient, prefix: string) {
    this.#client = client;
    this.#prefix = `${prefix}:counter:`;
  }

  async count(key: string, by: number, windowMs: number): Promise<CounterValue> {
    const args = [String(by), toDuration(windowMs)];
    const [count, left] = (await this.#client.script(countScript, [this.#prefix + key], args)) as [
      string,
      number,
    ];
    return { count: Number(count), resetsInMs: left };
  }
}

import type { ValueStore } from "../state.ts";
import type { RedisClient } from "./client/redis-client.ts";
import { toDuration } from "./duration.ts";

export class RedisValues implements ValueStore {
  readonly #client: RedisClient;
  readonly #prefix: string;

  constructor(client: RedisClient, prefix: string) {
    this.#client = client;
    this.#prefix = `${prefix}:value:`;
  }

  async add(key: string, value: string, ttlMs: number): Promise<boolean> {
    const reply = await this.#client.command("SET", this.#prefix + key, value, "PX", toDuration(ttlMs), "NX");
    return reply !== null;
  }

  async put(key: string, value: string, ttlMs: number): Promise<void> {
    await this.#client.command("SET", this.#prefix + key, value, "PX", toDuration(ttlMs));
  }

  async get(key: string): Promise<string | undefined> {
    const value = await this.#client.command("GET", this.#prefix + key);
    return typeof value === "string" ? value : undefined;
  }

  async remove(key: string): Promise<boolean> {
    return (await this.#client.command("DEL", this.#prefix + key)) === 1;
  }
}

import { randomHex } from "../../lib/encoding/random-token.ts";
import { checkStoredSession } from "../check-stored.ts";
import { parseStored } from "../parse-stored.ts";
import type { SessionStore, StoredSession, VersionedSession } from "../state.ts";
import type { RedisClient } from "./client/redis-client.ts";
import { Script } from "./client/script.ts";
import { toDuration } from "./duration.ts";

/** The length of a version. It stands in front of its session, in one value. */
const versionLength = 16;

const replaceScript = new Script(`
if redis.call('GETRANGE', KEYS[1], 0, ${versionLength - 1}) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`);

export class RedisSessions implements SessionStore {
  readonly #client: RedisClient;
  readonly #prefix: string;

  constructor(client: RedisClient, prefix: string) {
    this.#client = client;
    this.#prefix = `${prefix}:session:`;
  }

  async create(session: StoredSession, ttlMs: number): Promise<string | undefined> {
    const version = newVersion();
    const key = this.#prefix + session.id;
    const value = version + JSON.stringify(session);
    const reply = await this.#client.command("SET", key, value, "PX", toDuration(ttlMs), "NX");
    return reply === null ? undefined : version;
  }

  async touch(id: string, ttlMs: number): Promise<VersionedSession | undefined> {
    const value = await this.#client.command("GETEX", this.#prefix + id, "PX", toDuration(ttlMs));
    return typeof value === "string" ? toVersioned(value) : undefined;
  }

  async replace(session: StoredSession, version: string, ttlMs: number): Promise<string | undefined> {
    if (version.length !== versionLength) return undefined;
    const next = newVersion();
    const args = [version, next + JSON.stringify(session), toDuration(ttlMs)];
    const isReplaced = await this.#client.script(replaceScript, [this.#prefix + session.id], args);
    return isReplaced === 1 ? next : undefined;
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#client.command("DEL", this.#prefix + id)) === 1;
  }
}

/** Random, so that a session that was removed and created again has none of its old versions. */
function newVersion(): string {
  return randomHex(versionLength / 2);
}

function toVersioned(value: string): VersionedSession {
  const session = checkStoredSession(parseStored(value.slice(versionLength)));
  return { version: value.slice(0, versionLength), session };
}

import { type EventStore, type StoredEvent, streamStart } from "../state.ts";
import type { StreamRoom } from "../stream-limits.ts";
import type { RedisClient } from "./client/redis-client.ts";
import { toDuration } from "./duration.ts";
import { afterScript, appendScript } from "./event-scripts.ts";

const offsetPattern = /^(\d{1,15})\.(\d{1,15})$/;

/** Events in streams of Redis, each with a small hash beside it: its last id and its size. An offset is the id of its event. */
export class RedisEvents implements EventStore {
  readonly #client: RedisClient;
  readonly #prefix: string;
  readonly #limits: StreamRoom;

  constructor(client: RedisClient, prefix: string, limits: StreamRoom) {
    this.#client = client;
    this.#prefix = prefix;
    this.#limits = limits;
  }

  async append(stream: string, texts: readonly string[], ttlMs: number): Promise<string> {
    if (texts.length === 0) return this.last(stream);
    const { maxEvents, maxStreamBytes } = this.#limits;
    const limits = [toDuration(ttlMs), String(maxEvents), String(maxStreamBytes)];
    const args = [...limits, this.#channelOf(stream), ...texts];
    return toOffset(await this.#client.script(appendScript, this.#keysOf(stream), args));
  }

  async after(stream: string, offset: string, limit?: number): Promise<readonly StoredEvent[] | undefined> {
    const [, ms = "", sequence = ""] = offsetPattern.exec(offset) ?? [];
    if (ms === "" && offset !== streamStart) return undefined;
    const args = [ms, sequence, limit === undefined ? "" : String(Math.floor(limit))];
    const reply = await this.#client.script(afterScript, this.#keysOf(stream), args);
    return reply === null ? undefined : toEvents(reply as string[]);
  }

  async holds(stream: string, offset: string): Promise<boolean> {
    if (offset === streamStart) return true;
    if (!offsetPattern.test(offset)) return false;
    const [key = ""] = this.#keysOf(stream);
    const id = offset.replace(".", "-");
    const found = await this.#client.command("XRANGE", key, id, id);
    return Array.isArray(found) && found.length > 0;
  }

  async last(stream: string): Promise<string> {
    const [, meta = ""] = this.#keysOf(stream);
    const id = await this.#client.command("HGET", meta, "last");
    return id === null ? streamStart : toOffset(id);
  }

  async remove(stream: string): Promise<void> {
    await this.#client.command("UNLINK", ...this.#keysOf(stream));
  }

  watch(stream: string, listener: () => void): () => void {
    return this.#client.subscribe(this.#channelOf(stream), () => listener());
  }

  /** The braces put both into one slot of a cluster. */
  #keysOf(stream: string): string[] {
    return [`${this.#prefix}:events:{${stream}}`, `${this.#prefix}:events-meta:{${stream}}`];
  }

  #channelOf(stream: string): string {
    return `${this.#prefix}:appended:${stream}`;
  }
}

/** Events of their ids, each followed by its text. */
function toEvents(reply: readonly string[]): StoredEvent[] {
  const events: StoredEvent[] = [];
  for (let at = 0; at + 1 < reply.length; at += 2)
    events.push({ offset: toOffset(reply[at]), text: reply[at + 1] ?? "" });
  return events;
}

function toOffset(id: unknown): string {
  return String(id).replace("-", ".");
}

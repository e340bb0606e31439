import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { RedisStateOptions, State } from "allspeak/state/redis";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { onTestFinished } from "vitest";
import type { RedisConnector } from "../../../src/state/redis/client/connection.ts";
import { toConnector } from "../../../src/state/redis/client/connector.ts";
import { createRedisState } from "../../../src/state/redis/redis-state.ts";

/** The server that runs on this machine, or the one that is named. */
export const url = process.env.REDIS_URL ?? "redis://127.0.0.1:6379";

/** Whether that server is there. Without it its tests are skipped. */
export const hasRedis = await isThere();

async function isThere(): Promise<boolean> {
  const probe = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  probe.on("error", () => {});
  try {
    await probe.connect();
    return true;
  } catch {
    console.log(`The tests of the Redis state are skipped: there is no server at ${url}.`);
    return false;
  } finally {
    probe.disconnect();
  }
}

/** Takes what must be done when the test, or a group of tests, is over. */
export type OnDone = (clean: () => Promise<void> | void) => void;

/** Ways in which a state reaches its server, with clients that do not wait for one that is away. */
export const connectors = {
  "a URL and ioredis": async (at: string = url) => toConnector(at),
  "a URL and redis": async (at: string = url) => toConnector(at, importOnlyRedis),
  "a client of ioredis": async (at?: string, onDone?: OnDone) => toConnector(await openIoredis(at, onDone)),
  "a client of redis": async (at?: string, onDone?: OnDone) => toConnector(await openNodeRedis(at, onDone)),
};

/** Finds no package but `redis`. */
export async function importOnlyRedis(name: string): Promise<unknown> {
  if (name === "redis") return import("redis");
  throw Object.assign(new Error(`Cannot find package '${name}'`), { code: "ERR_MODULE_NOT_FOUND" });
}

async function openIoredis(at: string = url, onDone: OnDone = onTestFinished): Promise<Redis> {
  const client = new Redis(at, { enableOfflineQueue: false, autoResendUnfulfilledCommands: false });
  client.on("error", () => {});
  onDone(() => client.disconnect());
  await once(client, "ready");
  return client;
}

async function openNodeRedis(at: string = url, onDone: OnDone = onTestFinished) {
  const client = await createClient({ url: at, disableOfflineQueue: true }).connect();
  onDone(() => client.destroy());
  return client;
}

/** A prefix that no other test uses. */
export function ownPrefix(): string {
  return `test-${randomBytes(8).toString("hex")}`;
}

/** A state with keys of its own, which are gone after the test. */
export function openState(
  connector: RedisConnector,
  options: RedisStateOptions = {},
  onDone: OnDone = onTestFinished,
): State {
  const prefix = options.prefix ?? ownPrefix();
  const state = createRedisState(connector, { ...options, prefix });
  used.add(prefix);
  onDone(async () => {
    await state.close();
    await removeKeys();
  });
  return state;
}

/** The prefixes of keys that are not removed yet. */
const used = new Set<string>();

/** Removes the keys of all states at once, since the server has to look through all its keys. */
async function removeKeys(): Promise<void> {
  if (used.size === 0) return;
  const prefixes = [...used];
  used.clear();
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  client.on("error", () => {});
  await client.connect();
  for await (const found of client.scanStream({ match: "*test-*", count: 10_000 })) {
    const keys = (found as string[]).filter((key) => prefixes.some((prefix) => key.includes(`${prefix}:`)));
    if (keys.length > 0) await client.unlink(keys);
  }
  client.disconnect();
}

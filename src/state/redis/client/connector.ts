import { UsageError } from "../../../errors.ts";
import { describeValue } from "../../../lib/text/describe-value.ts";
import type { ChannelConnection, Open, RedisConnector } from "./connection.ts";
import {
  fromIoredisClient,
  type IoredisClient,
  type IoredisConstructor,
  isIoredisClient,
  openIoredisDuplicate,
  openIoredisUrl,
} from "./ioredis.ts";
import {
  type CreateNodeRedisClient,
  fromNodeRedisClient,
  isNodeRedisClient,
  type NodeRedisClient,
  openNodeRedisDuplicate,
  openNodeRedisUrl,
} from "./node-redis.ts";

/** A URL, or a client of the package `ioredis` or `redis`. */
export type RedisTarget = string | URL | IoredisClient | NodeRedisClient;

/** Loads a package by its name. */
export type ImportPackage = (name: string) => Promise<unknown>;

export function toConnector(
  target: RedisTarget,
  importPackage: ImportPackage = importByName,
): RedisConnector {
  if (typeof target === "string" || target instanceof URL) return toUrlConnector(target, importPackage);
  return toClientConnector(target);
}

function toUrlConnector(target: string | URL, importPackage: ImportPackage): RedisConnector {
  const url = String(target);
  if (!URL.canParse(url) || !/^rediss?:$/.test(new URL(url).protocol))
    // The URL may contain a password.
    throw new UsageError(
      'redis() takes a URL that begins with redis:// or rediss://, such as "redis://127.0.0.1:6379".',
    );
  let loading: Promise<Open<ChannelConnection>> | undefined;
  const open: Open<ChannelConnection> = async (options) => {
    loading ??= loadOpen(url, importPackage);
    return (await loading)(options);
  };
  return { openForCommands: open, openForChannels: open };
}

/** Opens connections with the package that is installed. */
async function loadOpen(url: string, importPackage: ImportPackage): Promise<Open<ChannelConnection>> {
  const ioredis = (await importIfInstalled("ioredis", importPackage)) as
    | { readonly Redis: IoredisConstructor }
    | undefined;
  if (ioredis) return (options) => openIoredisUrl(ioredis.Redis, url, options);
  const nodeRedis = (await importIfInstalled("redis", importPackage)) as
    | { readonly createClient: CreateNodeRedisClient }
    | undefined;
  if (nodeRedis) return (options) => openNodeRedisUrl(nodeRedis.createClient, url, options);
  throw new UsageError(
    "redis() needs a client for Redis, and none is installed: npm install ioredis (or npm install redis).",
  );
}

async function importIfInstalled(name: string, importPackage: ImportPackage): Promise<unknown> {
  try {
    return await importPackage(name);
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    if (code === "ERR_MODULE_NOT_FOUND" && String(message).includes(`'${name}'`)) return undefined;
    throw error;
  }
}

/** A name that bundlers do not follow: the package may not be there. */
function importByName(name: string): Promise<unknown> {
  return import(/* @vite-ignore */ /* webpackIgnore: true */ name);
}

function toClientConnector(client: IoredisClient | NodeRedisClient): RedisConnector {
  if (typeof client === "object" && client !== null) {
    if (isIoredisClient(client) && !client.isCluster) {
      const connection = fromIoredisClient(client);
      return {
        openForCommands: () => Promise.resolve(connection),
        openForChannels: (options) => openIoredisDuplicate(client, options),
      };
    }
    if (isNodeRedisClient(client)) {
      const connection = fromNodeRedisClient(client);
      return {
        openForCommands: () => Promise.resolve(connection),
        openForChannels: (options) => openNodeRedisDuplicate(client, options),
      };
    }
  }
  throw new UsageError(
    `redis() takes a URL, or a client of ioredis or redis for one server (not a cluster, a pool or sentinels), not ${describeValue(client)}.`,
  );
}

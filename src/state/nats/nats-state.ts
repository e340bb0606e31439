import { UsageError } from "../../errors.ts";
import { afterAwake } from "../../lib/async/timers.ts";
import { findOptionProblem, type OptionKinds } from "../../lib/option-check.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import { askForDurability, durabilityLevels } from "../durability.ts";
import type { DurabilityLevel, State } from "../state.ts";
import { type StreamLimits, streamLimitKinds, toStreamRoom } from "../stream-limits.ts";
import { type TaskLimits, TaskRoom, taskLimitKinds } from "../task-limits.ts";
import { NatsCounters } from "./counters.ts";
import { durabilityOf } from "./durability.ts";
import { NatsEvents } from "./events.ts";
import { isConnection, type NatsConnection, type NatsModule } from "./jetstream/client.ts";
import { Connection } from "./jetstream/connection.ts";
import { awaitGreeting } from "./jetstream/greeting.ts";
import { NatsStore } from "./jetstream/store.ts";
import { Records } from "./records.ts";
import { NatsSessions } from "./sessions.ts";
import { Sweeper } from "./sweeper.ts";
import { NatsTasks } from "./tasks/tasks.ts";
import { NatsValues } from "./values.ts";

export interface NatsOptions extends TaskLimits, StreamLimits {
  /** The beginning of the names of all streams and subjects. Default `allspeak`. */
  readonly prefix?: string;
  /** The storage of new streams. Default `file`. Those that exist stay where they are. */
  readonly storage?: "file" | "memory";
  /** Copies of the streams, on as many servers of a cluster. Default 1, or as many as there are. */
  readonly replicas?: number;
  /** Time between two sweeps of what has expired, in milliseconds. Nodes take turns. Default 60,000. */
  readonly sweepMs?: number;
  /** The failure that acknowledged writes must survive; `durability()` warns where the server promises less. Default `store-crash`. */
  readonly durability?: DurabilityLevel;
}

/** The time that a new connection has until it can be used. */
const connectMs = 2_000;
/** The time between two attempts to connect again. */
const firstWaitMs = 50;
const longestWaitMs = 2_000;

const optionKinds: OptionKinds<NatsOptions> = {
  prefix: "string",
  ...streamLimitKinds,
  storage: ["file", "memory"],
  replicas: "positive",
  sweepMs: "positive",
  durability: durabilityLevels,
  ...taskLimitKinds,
};

/**
 * State in NATS, with JetStream: `nats("nats://127.0.0.1:4222")`, or with a connection of `@nats-io/transport-node`.
 *
 * Needs nats-server 2.9 or newer. A connection that is handed in is used as it is, and stays open.
 */
export function nats(server: string | NatsConnection, options: NatsOptions = {}): State {
  const problem = findOptionProblem("nats", options, optionKinds);
  if (problem !== undefined) throw new UsageError(problem);
  const { prefix = "allspeak", sweepMs = 60_000 } = options;
  if (!/^[\w-]{1,64}$/.test(prefix))
    throw new UsageError(
      `nats: the option "prefix" takes letters, digits, "-" and "_", not ${describeValue(prefix)}.`,
    );
  const { storage, replicas } = options;
  const store = new NatsStore(toConnection(server), { prefix, ...toStreamRoom(options), storage, replicas });
  const records = new Records(store);
  const sweeper = new Sweeper(records, sweepMs);
  return {
    isShared: true,
    maxTaskChars: options.maxTaskChars,
    sessions: new NatsSessions(records),
    events: new NatsEvents(store),
    values: new NatsValues(records),
    counters: new NatsCounters(records),
    tasks: new NatsTasks(records, new TaskRoom(options)),
    durability: () => askForDurability(async () => durabilityOf(await store.configs(), options.durability)),
    close: async () => {
      sweeper.stop();
      await store.jetstream.connection.close();
    },
  };
}

function toConnection(server: string | NatsConnection): Connection {
  if (isConnection(server)) return new Connection(() => Promise.resolve(server), false);
  const servers = typeof server === "string" ? server.split(",").map(toUrl) : [];
  const [first] = servers;
  if (first === undefined || servers.includes(undefined)) {
    throw new UsageError(
      `nats takes a URL such as "nats://127.0.0.1:4222", several with commas between them, or a connection of @nats-io/transport-node, not ${describeValue(server)}.`,
    );
  }
  return new Connection((module, signal) => open(module, servers as readonly URL[], { first, signal }), true);
}

/** Opens a connection. The time limit of the client also runs out where this process is busy, and then says nothing about the server. */
async function open(
  module: NatsModule,
  given: readonly URL[],
  { first, signal }: { readonly first: URL; readonly signal: AbortSignal },
): Promise<NatsConnection> {
  const servers = await awaitGreeting(given, { timeoutMs: connectMs, signal });
  let wasAwake = false;
  const stop = afterAwake(connectMs / 2, () => {
    wasAwake = true;
  });
  try {
    return await connect(module, servers, first);
  } catch (error) {
    if (wasAwake || !(error instanceof Error) || error.name !== "TimeoutError") throw error;
    return connect(module, servers, first);
  } finally {
    stop();
  }
}

function connect(
  module: NatsModule,
  servers: readonly URL[],
  { protocol, username, password }: URL,
): Promise<NatsConnection> {
  let waitMs = 0;
  let askedAt = 0;
  return module.connect({
    servers: servers.map(({ host }) => host),
    noRandomize: true,
    ...(password && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(username && !password && { token: decodeURIComponent(username) }),
    ...(protocol === "tls:" && { tls: {} }),
    name: "allspeak",
    timeout: connectMs,
    // Nobody but us knows when the server is back.
    maxReconnectAttempts: -1,
    reconnectDelayHandler: () => {
      // After a while without an attempt there was a connection, and the waiting begins anew.
      const isNew = Date.now() - askedAt > 3 * longestWaitMs;
      askedAt = Date.now();
      waitMs = isNew ? firstWaitMs : Math.min(waitMs * 2, longestWaitMs);
      return waitMs;
    },
    pingInterval: 5_000,
    maxPingOut: 2,
    noAsyncTraces: true,
  });
}

function toUrl(text: string): URL | undefined {
  return /^(?:nats|tls):\/\//.test(text.trim()) && URL.canParse(text.trim())
    ? new URL(text.trim())
    : undefined;
}

import { UsageError } from "../../errors.ts";
import { isObject } from "../../lib/json.ts";
import { findOptionProblem, type OptionKinds } from "../../lib/option-check.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import { askForDurability, durabilityLevels } from "../durability.ts";
import type { DurabilityLevel, State } from "../state.ts";
import { type StreamLimits, streamLimitKinds, toStreamRoom } from "../stream-limits.ts";
import { type TaskLimits, TaskRoom, taskLimitKinds } from "../task-limits.ts";
import { Changes } from "./changes.ts";
import { PostgresCounters } from "./counters.ts";
import { Connection } from "./database/connection.ts";
import type { PostgresPool } from "./database/pg-interface.ts";
import { readDurability } from "./durability.ts";
import { PostgresEvents } from "./events.ts";
import { PostgresSessions } from "./sessions.ts";
import { Sweeper } from "./sweeper.ts";
import { PostgresTasks } from "./tasks.ts";
import { PostgresValues } from "./values.ts";

export interface PostgresOptions extends TaskLimits, StreamLimits {
  /** The name of the schema that holds the tables; it is made if it is missing. Default `allspeak`. */
  readonly prefix?: string | undefined;
  /** The connections of this process; one more listens. A pool that is given has its own limit. Default 10. */
  readonly maxConnections?: number | undefined;
  /** The time that a statement may take, and that it may wait for a connection. Default 2,000. */
  readonly timeoutMs?: number | undefined;
  /** The time between two rounds in which what has expired is removed. Default 30,000. */
  readonly sweepEveryMs?: number | undefined;
  /** The failure that acknowledged writes must survive; `durability()` warns where the server promises less. Default `power-loss`. */
  readonly durability?: DurabilityLevel | undefined;
}

const optionKinds: OptionKinds<PostgresOptions> = {
  prefix: "string",
  maxConnections: "positive",
  timeoutMs: "positive",
  ...streamLimitKinds,
  sweepEveryMs: "positive",
  durability: durabilityLevels,
  ...taskLimitKinds,
};

/**
 * State in PostgreSQL 13 or newer, shared by all nodes that use the same database and prefix.
 *
 * Takes a URL, such as `postgres://user@host/database`, or a pool of the package `pg`, which stays open when the state is
 * closed. Connects when it is first used. NOTIFY needs connections that are not shared by a proxy in transaction mode.
 */
export function postgres(target: string | PostgresPool, options: PostgresOptions = {}): State {
  assertArguments(target, options);
  const { prefix = "allspeak", maxConnections = 10, timeoutMs = 2_000, sweepEveryMs = 30_000 } = options;
  const connection = new Connection(target, { schema: prefix, maxConnections, timeoutMs });
  const changes = new Changes(connection);
  const sweeper = new Sweeper(connection, sweepEveryMs);
  return {
    isShared: true,
    maxTaskChars: options.maxTaskChars,
    sessions: new PostgresSessions(connection),
    events: new PostgresEvents({ connection, changes, limits: toStreamRoom(options) }),
    values: new PostgresValues(connection),
    counters: new PostgresCounters(connection),
    tasks: new PostgresTasks({ connection, changes, room: new TaskRoom(options) }),
    durability: () => askForDurability(() => readDurability(connection, options.durability)),
    close: async () => {
      sweeper.close();
      changes.close();
      await connection.close();
    },
  };
}

function assertArguments(target: unknown, options: PostgresOptions): void {
  const isUrl = typeof target === "string" && /^postgres(?:ql)?:\/\//.test(target);
  if (!isUrl && !isPool(target)) {
    const given = typeof target === "string" ? "a text that is none" : describeValue(target);
    throw new UsageError(
      `postgres() takes a URL that begins with postgres://, or a Pool of the package pg, not ${given}.`,
    );
  }
  if (typeof target !== "string" && (target as PostgresPool).options?.max === 1)
    throw new UsageError(
      "postgres(): the pool has 1 connection and needs at least 2, since one of them listens for changes.",
    );
  const problem = findOptionProblem("postgres()", options, optionKinds);
  if (problem !== undefined) throw new UsageError(problem);
  if (options.prefix !== undefined && !/^[a-z_][a-z0-9_]{0,39}$/.test(options.prefix)) {
    throw new UsageError(
      `postgres(): the prefix is the name of a schema, 1 to 40 characters of a-z, 0-9 and _, not ${describeValue(options.prefix)}.`,
    );
  }
}

function isPool(target: unknown): boolean {
  return isObject(target) && typeof target.query === "function" && typeof target.connect === "function";
}

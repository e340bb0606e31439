import { UsageError } from "../../errors.ts";
import { findOptionProblem, type OptionKinds } from "../../lib/option-check.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import { durabilityLevels } from "../durability.ts";
import type { DurabilityLevel, State } from "../state.ts";
import { type StreamLimits, streamLimitKinds, toStreamRoom } from "../stream-limits.ts";
import { type TaskLimits, TaskRoom, taskLimitKinds } from "../task-limits.ts";
import { Changes } from "./changes.ts";
import { SqliteCounters } from "./counters.ts";
import { readDurability } from "./durability.ts";
import { SqliteEvents } from "./events.ts";
import { openDatabase } from "./open-database.ts";
import { SqliteSessions } from "./sessions.ts";
import { Sweeper } from "./sweeper.ts";
import { SqliteTasks } from "./tasks.ts";
import { SqliteValues } from "./values.ts";

export interface SqliteOptions extends TaskLimits, StreamLimits {
  /**
   * The care with which a write is put on the disk before it counts. Default `"full"`.
   *
   * `"full"` survives a loss of power. `"normal"` is several times as fast and survives the end of the process; a loss of
   * power may take the last writes.
   */
  readonly synchronous?: "full" | "normal" | undefined;
  /** The failure that acknowledged writes must survive; `durability()` warns where the file promises less. Default `power-loss`. */
  readonly durability?: DurabilityLevel | undefined;
  /** The time that a write waits for those of other processes, during which this process stands still. Default 800. */
  readonly busyTimeoutMs?: number | undefined;
}

const optionKinds: OptionKinds<SqliteOptions> = {
  synchronous: ["full", "normal"],
  durability: durabilityLevels,
  ...taskLimitKinds,
  busyTimeoutMs: "number",
  ...streamLimitKinds,
};

/**
 * State in one file, on `node:sqlite`. It outlives the process, and several processes of one machine may share it.
 *
 * Needs Node 22.13 or newer. The file is made for this user alone. It must lie on a local disk.
 */
export function sqlite(path: string, options: SqliteOptions = {}): State {
  assertArguments(path, options);
  const { synchronous = "full", busyTimeoutMs = 800 } = options;
  const database = openDatabase(path, { synchronous, busyTimeoutMs });
  const sweeper = new Sweeper(database);
  const changes = new Changes(database);
  return {
    isShared: true,
    maxTaskChars: options.maxTaskChars,
    sessions: new SqliteSessions(database, sweeper),
    events: new SqliteEvents({ database, sweeper, changes, limits: toStreamRoom(options) }),
    values: new SqliteValues(database, sweeper),
    counters: new SqliteCounters(database, sweeper),
    tasks: new SqliteTasks({ database, sweeper, changes, room: new TaskRoom(options) }),
    durability: () => readDurability(database, options.durability),
    close: () => {
      sweeper.close();
      changes.close();
      database.close();
    },
  };
}

function assertArguments(path: unknown, options: unknown): void {
  if (typeof path !== "string" || path === "")
    throw new UsageError(`sqlite() takes the path of a file, not ${describeValue(path)}.`);
  if (path === ":memory:")
    throw new UsageError("sqlite() stores in a file; for state in memory, use memoryState().");
  const problem = findOptionProblem("sqlite()", options, optionKinds);
  if (problem !== undefined) throw new UsageError(problem);
}

import { UsageError } from "../../errors.ts";
import { findOptionProblem, type OptionKinds } from "../../lib/option-check.ts";
import type { State } from "../state.ts";
import { MemoryCounters } from "./counters.ts";
import { MemoryEvents } from "./events.ts";
import { MemorySessions } from "./sessions.ts";
import { MemoryTasksOnDemand } from "./tasks-on-demand.ts";
import { MemoryValues } from "./values.ts";

export interface MemoryLimits {
  /** Events of one stream. Default 10,000. */
  readonly maxEvents?: number;
  /** Characters of one stream. Default 1,048,576. */
  readonly maxChars?: number;
  /** Characters of all streams together; the oldest streams lose theirs first. Default 67,108,864. */
  readonly maxTotalChars?: number;
  /** Values, and counters. Further ones are refused, because a spent nonce that is forgotten can be spent again. Default 1,000,000. */
  readonly maxValues?: number;
  /** Characters of all values together. More are refused. Default 67,108,864. */
  readonly maxValueChars?: number;
  /** Tasks. Beyond it the caller with the most loses the oldest that has ended. Default 10,000. */
  readonly maxTasks?: number;
  /** Tasks of one caller that have ended. Beyond it the oldest are dropped. Default 1,000. */
  readonly maxEndedTasks?: number;
  /** Characters of all tasks together: the calls, the answers and their results. Beyond it the same holds. Default 67,108,864. */
  readonly maxTaskChars?: number;
}

const limitKinds: OptionKinds<MemoryLimits> = {
  maxEvents: "number",
  maxChars: "number",
  maxTotalChars: "number",
  maxValues: "number",
  maxValueChars: "number",
  maxTasks: "number",
  maxEndedTasks: "number",
  maxTaskChars: "number",
};

/** State of one process, gone with it. */
export function memoryState(limits: MemoryLimits = {}): State {
  const problem = findOptionProblem("memoryState", limits, limitKinds);
  if (problem !== undefined) throw new UsageError(problem);
  const { maxEvents = 10_000, maxChars = 1024 ** 2, maxTotalChars = 64 * 1024 ** 2 } = limits;
  const { maxValues, maxValueChars } = limits;
  const { maxTasks = 10_000, maxEndedTasks = 1_000, maxTaskChars = 64 * 1024 ** 2 } = limits;
  return {
    isShared: false,
    sessions: new MemorySessions(),
    events: new MemoryEvents({ maxEvents, maxChars, maxTotalChars }),
    values: new MemoryValues({ maxValues, maxValueChars }),
    counters: new MemoryCounters(maxValues),
    tasks: new MemoryTasksOnDemand({ maxTasks, maxEndedTasks, maxTaskChars }),
    durability: () => ({ level: "none", warnings: [] }),
    close: () => {},
  };
}

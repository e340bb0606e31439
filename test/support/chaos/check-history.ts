import { checkCalls } from "./check-calls.ts";
import { checkStreams, longestStall } from "./check-streams.ts";
import { checkTasks } from "./check-tasks.ts";
import type { HistoryEntry } from "./history.ts";
import type { Violation } from "./violation.ts";

export interface Verdict {
  readonly violations: readonly Violation[];
  readonly figures: Figures;
}

/** The size of a run, so that a run in which nothing happened can't pass for a good one. */
export interface Figures {
  readonly published: number;
  readonly received: number;
  readonly calls: number;
  readonly failedCalls: number;
  readonly tasks: number;
  readonly faults: number;
  readonly longestCallMs: number;
  readonly longestStallMs: number;
}

/** Reads a history for promises that were broken. */
export function checkHistory(entries: readonly HistoryEntry[]): Verdict {
  const limits = entries.find((entry) => entry.kind === "run")?.limits;
  if (limits === undefined) throw new Error("The history does not say which limits it was made under.");
  return {
    violations: [
      ...checkStreams(entries, limits),
      ...checkCalls(entries, limits),
      ...checkTasks(entries, limits),
    ],
    figures: toFigures(entries),
  };
}

function toFigures(entries: readonly HistoryEntry[]): Figures {
  const count = (kind: HistoryEntry["kind"]) => entries.filter((entry) => entry.kind === kind).length;
  const begun = new Map<string, number>();
  let longestCallMs = 0;
  for (const entry of entries) {
    if (entry.kind === "calling") begun.set(entry.call, entry.at);
    if (entry.kind === "answered" || entry.kind === "refused")
      longestCallMs = Math.max(longestCallMs, entry.at - (begun.get(entry.call) ?? entry.at));
  }
  const completed = new Set(entries.flatMap((entry) => (entry.kind === "completed" ? [entry.task] : [])));
  return {
    published: count("published"),
    received: count("received"),
    calls: count("calling"),
    failedCalls: count("refused"),
    tasks: completed.size,
    faults: count("fault"),
    longestCallMs: Math.round(longestCallMs),
    longestStallMs: Math.round(longestStall(entries)),
  };
}

import type { HistoryEntry, Limits } from "./history.ts";
import type { Violation } from "./violation.ts";

/** Checks that each task has one result, whoever asks and however often, and that it took few runs. */
export function checkTasks(entries: readonly HistoryEntry[], limits: Limits): readonly Violation[] {
  const runs = new Map<string, Set<string>>();
  const results = new Map<string, Set<string>>();
  for (const entry of entries) {
    if (entry.kind === "attempt") add(runs, entry.task, entry.run);
    if (entry.kind === "completed") add(results, entry.task, entry.run);
  }
  return [
    ...[...results].flatMap(([task, ended]) => checkResults(task, ended, runs.get(task) ?? new Set())),
    ...[...runs].flatMap(([task, { size }]): Violation[] =>
      size > limits.attempts ? [{ rule: "too many runs", what: `task ${task} ran ${size} times` }] : [],
    ),
  ];
}

function checkResults(task: string, ended: ReadonlySet<string>, runs: ReadonlySet<string>): Violation[] {
  const violations: Violation[] = [];
  if (ended.size > 1)
    violations.push({
      rule: "completed twice",
      what: `task ${task} has the results of ${[...ended].join(", ")}`,
    });
  for (const run of ended)
    if (!runs.has(run))
      violations.push({ rule: "wrong answer", what: `task ${task} has a result of no run of it` });
  return violations;
}

function add(sets: Map<string, Set<string>>, key: string, value: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(value));
}

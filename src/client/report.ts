import { HandlerError, McpError } from "../errors.ts";
import { toPrintableLine } from "../lib/text/printable.ts";

/** Reports a problem that stops nothing. Never throws. */
export type Report = (problem: Error) => void;

// A server that sends nothing but garbage must not fill the host's log.
const maxWarnings = 20;
const maxPrinted = 1_000;

export function createReport(onProblem?: (problem: Error) => void): Report {
  const notify = onProblem ?? createWarner();
  return (problem) => {
    try {
      notify(problem);
    } catch {
      // There is no one left to report to.
    }
  };
}

/** Calls a callback of the host; an error that it throws, now or later, is reported. */
export function callSafely(report: Report, call: () => unknown): void {
  try {
    const outcome = call();
    if (outcome instanceof Promise) void outcome.catch((error: unknown) => report(toProblem(error)));
  } catch (error) {
    report(toProblem(error));
  }
}

function createWarner(): (problem: Error) => void {
  let left = maxWarnings;
  return (problem) => {
    if (left === 0) return;
    left--;
    const hint = left === 0 ? " (no more of these are shown; pass onProblem to see all)" : "";
    console.error(`allspeak: ${toPrintableLine(problem.message, maxPrinted)}${hint}`);
  };
}

/** The error to report for what a function of the host threw. */
export function toProblem(thrown: unknown, what = "A listener failed"): McpError {
  if (thrown instanceof McpError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new HandlerError(`${what}: ${message}`, { cause: thrown });
}

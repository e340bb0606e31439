import { UsageError } from "../../errors.ts";
import { describeValue } from "../../lib/text/describe-value.ts";

/** Severities of RFC 5424, mildest first. */
export const logLevels = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

export type LogLevel = (typeof logLevels)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return (logLevels as readonly unknown[]).includes(value);
}

/** True when a message of `level` passes a threshold. */
export function meetsLogLevel(level: LogLevel, threshold: LogLevel): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(threshold);
}

/** Throws UsageError for a level that does not exist, such as `warn`; its messages would be dropped. */
export function assertLogLevel(level: unknown): asserts level is LogLevel {
  if (!isLogLevel(level))
    throw new UsageError(`${describeValue(level)} is not a log level; use one of ${logLevels.join(", ")}.`);
}

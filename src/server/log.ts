/** An entry in the server's own log, for its operators. */
export interface LogEntry {
  readonly message: string;
  /** The reference that the caller received instead of the cause. */
  readonly ref?: string;
  readonly cause?: unknown;
}

export type LogSink = (entry: LogEntry) => void;

export const logToConsole: LogSink = ({ message, ref, cause }) => {
  console.error(
    `[allspeak] ${message}${ref ? ` (ref ${ref})` : ""}`,
    ...(cause === undefined ? [] : [cause]),
  );
};

/** The log with a fallback: an entry that it fails on goes to the console, because a broken log must not end the server. */
export function toSafeLog(log: LogSink): LogSink {
  return (entry) => {
    try {
      const outcome: unknown = log(entry);
      if (outcome instanceof Promise) outcome.catch(() => logToConsole(entry));
    } catch {
      logToConsole(entry);
    }
  };
}

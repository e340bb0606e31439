/** An entry in the server's own log, for the people who run it. */
export interface LogEntry {
  readonly message: string;
  /** The reference that the caller was given instead of the cause. */
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

/** The same log; what it can't take goes to the console, because a broken log must not end the server. */
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

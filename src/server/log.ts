import { toPrintable } from "../lib/text/printable.ts";

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
    toPrintable(`[allspeak] ${message}${ref ? ` (ref ${ref})` : ""}`),
    ...(cause === undefined ? [] : [withoutEscapes(cause)]),
  );
};

/** A cause as it is printed: the console shows the text of an error as it is, and a peer may have written it. */
function withoutEscapes(cause: unknown): unknown {
  if (typeof cause === "string") return toPrintable(cause);
  if (!(cause instanceof Error)) return cause;
  const text = cause.stack ?? String(cause);
  const printable = toPrintable(text);
  return printable === text ? cause : printable;
}

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

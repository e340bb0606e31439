import type { Call } from "../../contract/call.ts";
import { isObject } from "../../lib/json.ts";
import { MetaKey } from "../../protocol/meta.ts";
import { isLogLevel, type LogLevel, meetsLogLevel } from "../../protocol/model/logging.ts";
import type { LogMessage } from "../incoming/notifications.ts";

/** Sends a log message of the server with a call, if its caller wants messages of this level. */
export function passLog(call: Call, { level, logger, data }: LogMessage): void {
  const wanted = wantedLevel(call);
  if (wanted === undefined || !meetsLogLevel(level, wanted)) return;
  const params = { level, ...(logger !== undefined && { logger }), data };
  // A caller that is gone aborts its call by the signal.
  call.notify("notifications/message", params).catch(() => {});
}

/** The lowest level for sessions that have not set one. */
export const defaultLevel: LogLevel = "info";

/** The lowest level that a caller wants; undefined if it wants no log messages. */
export function wantedLevel(call: Call): LogLevel | undefined {
  return askedLevel(call) ?? (call.revision.logLevelFrom === "session" ? defaultLevel : undefined);
}

/** The lowest level that any of the callers, or of the sessions, has asked for; undefined if they leave it to the server. */
export function lowestAskedLevel(
  calls: readonly Call[],
  ofSessions: readonly LogLevel[],
): LogLevel | undefined {
  const levels = [...calls.flatMap((call) => askedLevel(call) ?? []), ...ofSessions];
  return levels.find((level) => levels.every((other) => meetsLogLevel(other, level)));
}

function askedLevel({ revision, session, params }: Call): LogLevel | undefined {
  if (revision.logLevelFrom === "session") return session?.logLevel;
  const level = isObject(params._meta) ? params._meta[MetaKey.logLevel] : undefined;
  return isLogLevel(level) ? level : undefined;
}

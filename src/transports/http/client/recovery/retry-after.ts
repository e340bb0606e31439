import type { HttpErrorResponse } from "../fetch/error-response.ts";

/** Statuses of a request that was refused for now, and not carried out. */
const busyStatuses: readonly number[] = [429, 503];
/** A longer wait is for the host to decide. */
const longestWaitMs = 60_000;

/** The time after which a busy server wants the request again; undefined when it names none, or one that is too long. */
export function retryAfterMs({ status, error }: HttpErrorResponse, timeLeftMs: number): number | undefined {
  if (!busyStatuses.includes(status)) return undefined;
  const given = error.headers["retry-after"]?.trim() ?? "";
  const ms = /^\d+$/.test(given) ? Number(given) * 1000 : Date.parse(given) - Date.now();
  return ms <= Math.min(longestWaitMs, timeLeftMs) ? Math.max(ms, 0) : undefined;
}

import { CancelledError } from "../errors.ts";
import { orAborted } from "../lib/async/abort.ts";

/** The error of cancelled work, with the reason of the cancellation in its message. */
export function toCancelled(what: string, reason: unknown): CancelledError {
  const why = cancelReasonOf(reason);
  const text = why ? `${what} was cancelled: ${why}` : `${what} was cancelled`;
  return new CancelledError(/[.!?…]$/.test(text) ? text : `${text}.`, { cause: reason });
}

/** The text of a reason. A CancelledError only passes a cancellation on: its cause has the reason. */
export function cancelReasonOf(reason: unknown): string | undefined {
  if (reason instanceof CancelledError) return cancelReasonOf(reason.cause);
  if (reason instanceof Error) return reason.message;
  return typeof reason === "string" ? reason : undefined;
}

/** Stops waiting for work when the signal aborts, even if the work ignores it. */
export function untilAborted<T>(work: Promise<T>, what: string, signal: AbortSignal | undefined): Promise<T> {
  return orAborted(work, signal, (reason) => toCancelled(what, reason));
}

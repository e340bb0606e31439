import { CancelledError } from "../errors.ts";
import { orAborted } from "../lib/abort.ts";

/** The error of work that was cancelled, with the words of whoever cancelled it. */
export function toCancelled(what: string, reason: unknown): CancelledError {
  const why = cancelReasonOf(reason);
  const text = why ? `${what} was cancelled: ${why}` : `${what} was cancelled`;
  return new CancelledError(/[.!?…]$/.test(text) ? text : `${text}.`, { cause: reason });
}

/** The words of a reason. One that only passes a cancellation on has none of its own. */
export function cancelReasonOf(reason: unknown): string | undefined {
  if (reason instanceof CancelledError) return cancelReasonOf(reason.cause);
  if (reason instanceof Error) return reason.message;
  return typeof reason === "string" ? reason : undefined;
}

/** Stops waiting for work that may ignore the signal. */
export function untilAborted<T>(work: Promise<T>, what: string, signal: AbortSignal | undefined): Promise<T> {
  return orAborted(work, signal, (reason) => toCancelled(what, reason));
}

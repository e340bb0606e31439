import { Deadline } from "../../contract/deadline.ts";
import { TimeoutError } from "../../errors.ts";

/** Stops the work, and its clock while a user is waited for. */
export interface OpenClock {
  readonly signal: AbortSignal;
  /** Time does not count until the returned function is called. */
  hold(): () => void;
}

/**
 * Does the work of opening in the time that it may take in all.
 *
 * When the time is over, the signal stops the work, and nobody waits for it to let go of
 * what it holds: a process may take its time to end.
 */
export async function withOpenTimeout<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (clock: OpenClock) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  let expire: (error: Error) => void = () => {};
  const expired = new Promise<never>((_, reject) => {
    expire = reject;
  });
  const onLate = () => {
    const late = new TimeoutError("Connecting", "total", ms, "openTimeout");
    expire(late);
    stop.abort(late);
  };
  const deadline = new Deadline("Connecting", { idle: ms, total: Number.POSITIVE_INFINITY }, onLate);
  try {
    const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    return await Promise.race([work({ signal: either, hold: () => deadline.hold() }), expired]);
  } finally {
    deadline.stop();
  }
}

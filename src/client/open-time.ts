import { Deadline } from "../peer/deadline.ts";
import { TimeoutError } from "../protocol/errors.ts";

/**
 * Does the work of opening in the time that it may take in all.
 *
 * When the time is over, the signal stops the work, and nobody waits for it to let go of
 * what it holds: a process may take its time to end.
 */
export async function withinOpenTime<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  let expire: (error: Error) => void = () => {};
  const expired = new Promise<never>((_, reject) => {
    expire = reject;
  });
  const deadline = new Deadline("Connecting", { idle: Number.POSITIVE_INFINITY, total: ms }, () => {
    const late = new TimeoutError("Connecting", "total", ms, "openTimeout");
    expire(late);
    stop.abort(late);
  });
  try {
    return await Promise.race([work(signal ? AbortSignal.any([signal, stop.signal]) : stop.signal), expired]);
  } finally {
    deadline.stop();
  }
}

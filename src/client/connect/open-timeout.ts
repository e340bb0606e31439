import { Deadline } from "../../contract/deadline.ts";
import { TimeoutError } from "../../errors.ts";

/** The signal that stops the work, and the clock, which stands while a user is waited for. */
export interface OpenClock {
  readonly signal: AbortSignal;
  /** Time does not count until the returned function is called. */
  hold(): () => void;
  /** Sets the function that explains, when the time is over, why the other side is silent. */
  explainWith(explain: () => Error | undefined): void;
}

/**
 * Limits the time of connecting.
 *
 * When the time is over, the signal stops the work, and this rejects at once: a process may
 * take its time to end.
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
  let explain: () => Error | undefined = () => undefined;
  const explainWith: OpenClock["explainWith"] = (given) => {
    explain = given;
  };
  const onLate = () => {
    const late = new TimeoutError("Connecting", "total", ms, { option: "openTimeout", cause: explain() });
    expire(late);
    stop.abort(late);
  };
  const deadline = new Deadline("Connecting", { idle: ms, total: Number.POSITIVE_INFINITY }, onLate);
  try {
    const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    return await Promise.race([work({ signal: either, hold: () => deadline.hold(), explainWith }), expired]);
  } finally {
    deadline.stop();
  }
}

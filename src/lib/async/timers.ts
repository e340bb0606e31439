/** The longest delay of a timer, in milliseconds; a longer one overflows and fires at once. */
export const longestDelayMs: number = 2 ** 31 - 1;

/** The same timer, which no longer keeps the process alive; browsers have no such timers, and need none. */
export function unreferenced<T>(timer: T): T {
  if (typeof timer === "object" && timer !== null && "unref" in timer) (timer as { unref(): void }).unref();
  return timer;
}

/** A repeating timer that keeps no process alive. */
export function startBackgroundTimer(run: () => void, everyMs: number): ReturnType<typeof setInterval> {
  return unreferenced(setInterval(run, everyMs));
}

/** A timer that runs once and keeps no process alive. */
export function runLater(run: () => void, afterMs: number): ReturnType<typeof setTimeout> {
  return unreferenced(setTimeout(run, afterMs));
}

/** The parts of a time limit: a process that stands still, for however long, uses up one of them. */
const awakeParts = 4;

/**
 * Calls a function after a time in which this process could run. A process that was busy or frozen has not read yet what
 * came meanwhile, and its timers fire first; here, it gets to read before its time is up. Returns the function that
 * stops it.
 */
export function afterAwake(
  ms: number,
  run: () => void,
  start: (run: () => void, afterMs: number) => ReturnType<typeof setTimeout> = setTimeout,
): () => void {
  let left = awakeParts;
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => {
    timer = left-- > 0 ? start(wait, ms / awakeParts) : start(run, 0);
  };
  wait();
  return () => clearTimeout(timer);
}

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

/** A repeating timer that keeps no process alive, where the platform has such. */
export function startBackgroundTimer(run: () => void, everyMs: number): ReturnType<typeof setInterval> {
  return unreferenced(setInterval(run, everyMs));
}

/** A timer that runs once and keeps no process alive. */
export function runLater(run: () => void, afterMs: number): ReturnType<typeof setTimeout> {
  return unreferenced(setTimeout(run, afterMs));
}

function unreferenced<T>(timer: T): T {
  if (typeof timer === "object" && timer !== null && "unref" in timer) (timer as { unref(): void }).unref();
  return timer;
}

/** A repeating timer that keeps no process alive, where the platform has such. */
export function startBackgroundTimer(run: () => void, everyMs: number): ReturnType<typeof setInterval> {
  const timer: unknown = setInterval(run, everyMs);
  if (typeof timer === "object" && timer !== null && "unref" in timer) (timer as { unref(): void }).unref();
  return timer as ReturnType<typeof setInterval>;
}

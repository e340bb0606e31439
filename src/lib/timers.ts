/** The same timer, keeping no process alive where the platform has such. */
export function unreferenced<T>(timer: T): T {
  if (typeof timer === "object" && timer !== null && "unref" in timer) (timer as { unref(): void }).unref();
  return timer;
}

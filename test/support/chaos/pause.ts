/** Settles after a time of the real clock, or of the simulated one. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(), Math.max(ms, 0));
  });
}

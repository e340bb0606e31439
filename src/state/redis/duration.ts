/** About ten thousand years: Redis refuses times that its clock cannot count to. */
const longestMs = 315_360_000_000_000;

/** A duration as Redis takes it: whole milliseconds, 1 at least. */
export function toDuration(ms: number): string {
  return String(Math.min(longestMs, Math.max(1, Math.ceil(ms))));
}

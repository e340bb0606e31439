/** The longest time to live, about 3,000 years: dates of databases end. */
const longestMs = 1e14;

/** The share of its time to live that something may stay longer, so that a renewal is seldom a write. */
const slack = 0.1;

/** The bounds of the time that something has left, between which it need not be renewed. */
export interface Lifetime {
  readonly leastMs: number;
  readonly mostMs: number;
}

export function toLifetime(ttlMs: number): Lifetime {
  const leastMs = toTtl(ttlMs);
  return { leastMs, mostMs: leastMs * (1 + slack) };
}

export function toTtl(ttlMs: number): number {
  return Math.min(Math.max(ttlMs, 0), longestMs);
}

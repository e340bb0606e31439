/**
 * Lets every run take its turn in each round, so that a machine that is busy for a while slows all alike.
 *
 * Gives the measurements of each run; those of the first round, which warms up, are left out.
 */
export async function measureInRounds<T>(
  rounds: number,
  runs: readonly (() => Promise<T>)[],
): Promise<T[][]> {
  const measured: T[][] = runs.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [at, run] of runs.entries()) {
      const value = await run();
      if (round > 0) measured[at]?.push(value);
    }
  }
  return measured;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The median of what each round says, since only what ran in the same round had the same machine. */
export function medianRatio(values: readonly number[], base: readonly number[]): number {
  return median(values.map((value, round) => value / (base[round] ?? Number.NaN)));
}

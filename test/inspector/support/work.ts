/** The clock of a processor may tick every few milliseconds only: a run is repeated until enough of them have passed. */
const leastMicroseconds = 40_000;

/** The processor time that the quickest of some runs takes, in microseconds. */
export function workOf(run: () => unknown): number {
  return Math.min(...Array.from({ length: 3 }, () => meanWork(run)));
}

function meanWork(run: () => unknown): number {
  const before = process.cpuUsage();
  for (let runs = 1; ; runs++) {
    run();
    const { user } = process.cpuUsage(before);
    if (user >= leastMicroseconds) return user / runs;
  }
}

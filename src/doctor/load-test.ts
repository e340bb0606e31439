import { setImmediate } from "node:timers/promises";

/** One call of a load; resolves with the problem, if it failed. */
export type OneCall = () => Promise<string | undefined>;

export interface LoadPlan {
  readonly count: number;
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Called after each call. */
  onCall?(latencyMs: number, problem: string | undefined): void;
}

/** The outcome of many calls. Times are in milliseconds. */
export interface Load {
  readonly calls: number;
  readonly failed: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly percentiles: Readonly<Record<"p50" | "p90" | "p99" | "max", number>>;
  /** Sorted. */
  readonly latencies: readonly number[];
  /** The reasons of failed calls, the most frequent first. */
  readonly problems: readonly LoadProblem[];
}

export interface LoadProblem {
  readonly problem: string;
  readonly calls: number;
}

/** More kinds of problems are counted together. */
const maxProblems = 10;
const otherProblems = "other problems";

/** The longest time without a turn of the event loop: signals and timers wait for one. */
const turnMs = 50;

/** Makes so many calls, so many at a time. */
export async function applyLoad(
  call: OneCall,
  { count, concurrency, signal, onCall }: LoadPlan,
): Promise<Load> {
  const latencies: number[] = [];
  let left = count;
  let failed = 0;
  const problems = new Map<string, number>();
  let turnAt = performance.now();
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      // A server in this process answers without a turn of the event loop.
      if (performance.now() - turnAt > turnMs) {
        // A timer would not do: while timers are due, Node looks at nothing else.
        await setImmediate();
        turnAt = performance.now();
      }
      signal.throwIfAborted();
      const startedAt = performance.now();
      const problem = await call().catch((error: unknown) =>
        String(error instanceof Error ? error.message : error),
      );
      if (problem !== undefined) {
        failed++;
        const kind = problems.has(problem) || problems.size < maxProblems ? problem : otherProblems;
        problems.set(kind, (problems.get(kind) ?? 0) + 1);
      }
      latencies.push(performance.now() - startedAt);
      onCall?.(latencies.at(-1) ?? 0, problem);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, worker));
  return { failed, problems: byFrequency(problems), ...toFigures(latencies, performance.now() - startedAt) };
}

function byFrequency(problems: ReadonlyMap<string, number>): Load["problems"] {
  const counted = [...problems].map(([problem, calls]) => ({ problem, calls }));
  return counted.sort((one, other) => other.calls - one.calls);
}

/** The figures of calls that took so long, together in `ms`. */
function toFigures(latencies: number[], ms: number): Omit<Load, "failed" | "problems"> {
  const seconds = ms / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => percentileOf(latencies, share);
  return {
    calls: latencies.length,
    seconds: round(seconds),
    perSecond: Math.round(latencies.length / seconds),
    percentiles: { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) },
    latencies,
  };
}

/** The latency that this share of the sorted ones does not exceed. */
export function percentileOf(sorted: readonly number[], share: number): number {
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

/** Buckets that double, from the fastest call on, with the number of calls in each. */
export function toHistogram(sorted: readonly number[]): { upToMs: number; calls: number }[] {
  const buckets: { upToMs: number; calls: number }[] = [];
  let from = 0;
  for (let upTo = Math.max(0.001, (sorted[0] ?? 0) * 1.25); from < sorted.length; upTo *= 2) {
    const end = sorted.findIndex((latency) => latency > upTo);
    const next = end < 0 ? sorted.length : end;
    buckets.push({ upToMs: round(upTo), calls: next - from });
    from = next;
  }
  return buckets;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

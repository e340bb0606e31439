import { percentileOf } from "../../doctor/load-test.ts";
import type { LoadSample } from "../messages/judge.ts";

interface EndedCall {
  readonly atMs: number;
  readonly latencyMs: number;
  readonly isFailed: boolean;
}

const steps = 60;

/** Calls of a load test in the order in which they ended. */
export class LoadTimeline {
  readonly #startedAt = performance.now();
  readonly #calls: EndedCall[] = [];
  #failed = 0;
  #sampled = 0;

  add(latencyMs: number, isFailed: boolean): void {
    if (isFailed) this.#failed++;
    this.#calls.push({ atMs: performance.now() - this.#startedAt, latencyMs, isFailed });
  }

  /** The state now, with the latency of the calls since the last time it was asked for. */
  sample(): LoadSample {
    const recent = this.#calls.slice(this.#sampled);
    this.#sampled = this.#calls.length;
    const counts = { calls: this.#calls.length, failed: this.#failed };
    return toSample(performance.now() - this.#startedAt, recent, counts);
  }

  /** The whole test in equal steps of time, however short it was. Steps in which no call ended are left out. */
  toSamples(): LoadSample[] {
    const samples: LoadSample[] = [];
    const stepMs = (this.#calls.at(-1)?.atMs ?? 0) / steps;
    let [from, failed] = [0, 0];
    for (let step = 1; step <= steps; step++) {
      const isLater = ({ atMs }: EndedCall, index: number) => index >= from && atMs > step * stepMs;
      const next = step < steps ? this.#calls.findIndex(isLater) : this.#calls.length;
      if (next <= from) continue;
      const ended = this.#calls.slice(from, next);
      failed += ended.filter(({ isFailed }) => isFailed).length;
      samples.push(toSample(step * stepMs, ended, { calls: next, failed }));
      from = next;
    }
    return samples;
  }
}

function toSample(
  atMs: number,
  ended: readonly EndedCall[],
  counts: Pick<LoadSample, "calls" | "failed">,
): LoadSample {
  const latencies = ended.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
  const [p50, p99] = [percentileOf(latencies, 0.5), percentileOf(latencies, 0.99)];
  return { atMs: Math.round(atMs * 1000) / 1000, ...counts, p50, p99 };
}

import type { LoadSample } from "../../../../src/inspector/messages/judge.ts";
import { toDuration } from "../../parts/format.ts";

const [width, height, foot] = [720, 180, 24];

/** Latency over the time of the test: the median and the slow ones. */
export function TimePlot({ samples }: { readonly samples: readonly LoadSample[] }) {
  if (samples.length < 2) return null;
  const end = Math.max(1, ...samples.map(({ atMs }) => atMs));
  const most = Math.max(0.1, ...samples.map(({ p99 }) => p99));
  const line = (value: (sample: LoadSample) => number) =>
    samples
      .map(
        (sample) =>
          `${((sample.atMs * width) / end).toFixed(1)},${(height - (value(sample) * (height - 12)) / most).toFixed(1)}`,
      )
      .join(" ");
  return (
    <figure class="card stack">
      <figcaption class="row wraps">
        <h2 class="grow">Over time</h2>
        <span class="small legend p50">p50</span>
        <span class="small legend p99">p99</span>
      </figcaption>
      <svg
        class="plot"
        viewBox={`0 0 ${width} ${height + foot}`}
        role="img"
        aria-label={`Latency over ${toDuration(end)}; at most ${toDuration(most)}.`}
      >
        <polyline class="plot-line p99" points={line(({ p99 }) => p99)} />
        <polyline class="plot-line p50" points={line(({ p50 }) => p50)} />
        <line class="plot-axis" x1="0" x2={width} y1={height} y2={height} />
        <text x="2" y="10">
          {toDuration(most)}
        </text>
        <text x="2" y={height + 16}>
          0
        </text>
        <text x={width - 2} y={height + 16} text-anchor="end">
          {toDuration(end)}
        </text>
      </svg>
    </figure>
  );
}

import type { LoadReport } from "../../../../src/inspector/messages/judge.ts";
import { toDuration } from "../../parts/format.ts";

type HistogramProps = Pick<LoadReport, "histogram" | "latency">;

const [width, height, foot] = [720, 200, 24];

/** How many calls took how long. */
export function Histogram({ histogram, latency }: HistogramProps) {
  const used = histogram.slice(0, 200);
  const most = Math.max(1, ...used.map(({ calls }) => calls));
  const step = width / Math.max(1, used.length);
  const words = `Half of the calls took at most ${toDuration(latency.p50)}, 99 of 100 at most ${toDuration(latency.p99)}.`;
  const isLabelled = (at: number) => at % Math.ceil(used.length / 8) === 0;
  return (
    <figure class="card stack">
      <figcaption>
        <h2>Latency</h2>
        <p class="small soft">{words}</p>
      </figcaption>
      <svg
        class="plot"
        viewBox={`0 0 ${width} ${height + foot}`}
        role="img"
        aria-label={`Histogram of latency. ${words}`}
      >
        {used.map(({ upToMs, calls }, at) => {
          const tall = (calls * (height - 8)) / most;
          return (
            <g key={upToMs}>
              <rect
                class="plot-bar"
                x={at * step + 1}
                y={height - tall}
                width={Math.max(1, step - 2)}
                height={tall}
                rx="1.5"
              >
                <title>
                  {calls} calls up to {toDuration(upToMs)}
                </title>
              </rect>
              {isLabelled(at) && (
                <text x={(at + 0.5) * step} y={height + 16} text-anchor="middle">
                  {toDuration(upToMs)}
                </text>
              )}
            </g>
          );
        })}
        <line class="plot-axis" x1="0" x2={width} y1={height} y2={height} />
      </svg>
    </figure>
  );
}

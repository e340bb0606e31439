import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ComparedPair, Comparison } from "../../../../src/inspector/messages/recording.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { toDuration } from "../../parts/format.ts";
import { Scalar } from "../../parts/json-tree.tsx";

const tones: Readonly<Record<ComparedPair["state"], Tone>> = {
  same: "good",
  different: "warn",
  "only-left": "bad",
  "only-right": "bad",
};

/** The names of the two runs. */
export type Sides = readonly [left: string, right: string];

interface ComparisonViewProps {
  readonly title: string;
  readonly sides: Sides;
  readonly comparison: Comparison;
  readonly children?: ComponentChildren;
}

/** Two runs, exchange by exchange, with the places where they differ. */
export function ComparisonView({ title, sides, comparison, children }: ComparisonViewProps) {
  const [onlyDifferent, setOnlyDifferent] = useState(false);
  const pairs = comparison.pairs.filter(({ state }) => !onlyDifferent || state !== "same");
  return (
    <section class="card stack" aria-label={title}>
      <div class="row wraps">
        <h2 class="grow">{title}</h2>
        <Badge tone="good">{comparison.same} the same</Badge>
        <Badge tone={comparison.different > 0 ? "warn" : "plain"}>{comparison.different} different</Badge>
        <label class="check small">
          <input type="checkbox" checked={onlyDifferent} onChange={() => setOnlyDifferent(!onlyDifferent)} />
          only what differs
        </label>
      </div>
      {children}
      <ul class="rows">
        {pairs.slice(0, 500).map((pair, at) => (
          <PairRow key={at} pair={pair} sides={sides} />
        ))}
      </ul>
    </section>
  );
}

function PairRow({ pair, sides: [left, right] }: { readonly pair: ComparedPair; readonly sides: Sides }) {
  const words = {
    same: "same",
    different: "different",
    "only-left": `only ${left}`,
    "only-right": `only ${right}`,
  };
  return (
    <li class="stack tight">
      <div class="row wraps">
        <Badge tone={tones[pair.state]}>{words[pair.state]}</Badge>
        <code class="grow clip">
          {pair.method} {pair.name}
        </code>
        <span class="tiny faint number">
          {pair.leftMs !== undefined && toDuration(pair.leftMs)}
          {pair.rightMs !== undefined && ` → ${toDuration(pair.rightMs)}`}
        </span>
      </div>
      {pair.differences.length > 0 && (
        <div class="table-box">
          <table>
            <thead>
              <tr>
                <th>place</th>
                <th>{left}</th>
                <th>{right}</th>
              </tr>
            </thead>
            <tbody>
              {pair.differences.slice(0, 100).map((difference) => (
                <tr key={difference.path}>
                  <td class="mono">{difference.path}</td>
                  <td class="removed">
                    <Value value={difference.left} />
                  </td>
                  <td class="added">
                    <Value value={difference.right} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </li>
  );
}

function Value({ value }: { readonly value: unknown }) {
  if (value === undefined) return <span class="faint">absent</span>;
  if (typeof value === "object" && value !== null)
    return <code class="tiny wrap">{JSON.stringify(value).slice(0, 500)}</code>;
  return <Scalar value={value} tellsKind />;
}

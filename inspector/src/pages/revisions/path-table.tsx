import { useMemo, useState } from "preact/hooks";
import type { RevisionAnswer } from "../../../../src/inspector/messages/revisions.ts";
import { Scalar } from "../../parts/json-tree.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { flatten } from "./flatten.ts";

/** The answers as one table: a row for each place of the JSON, a column for each revision. */
export function PathTable({ answers }: { readonly answers: readonly RevisionAnswer[] }) {
  const [onlyDifferent, setOnlyDifferent] = useState(true);
  const rows = useMemo(() => toRows(answers), [answers]);
  const different = useMemo(() => rows.filter(({ isDifferent }) => isDifferent), [rows]);
  const shown = onlyDifferent && different.length > 0 ? different : rows;
  if (answers.length === 0) return null;
  const columns = { gridTemplateColumns: `minmax(9rem, 1.2fr) repeat(${answers.length}, minmax(8rem, 1fr))` };
  return (
    <section class="path-table" aria-label="Answers side by side">
      <label class="check small">
        <input type="checkbox" checked={onlyDifferent} onChange={() => setOnlyDifferent(!onlyDifferent)} />
        Only what differs ({different.length.toLocaleString("en")} of {rows.length.toLocaleString("en")}{" "}
        values)
      </label>
      {different.length === 0 && (
        <p class="good small">
          {answers.length === 1 ? `Only ${answers[0]?.revision} answered.` : "All answers are the same."}
        </p>
      )}
      <div class="path-box">
        <div class="path-row head" style={columns} aria-hidden="true">
          <span>place</span>
          {answers.map(({ revision }) => (
            <span key={revision} class="number">
              {revision}
            </span>
          ))}
        </div>
        <div class="path-rows" style={{ height: `min(${shown.length * 1.75}rem, 60vh)` }}>
          <VirtualList
            label="Values of each revision"
            count={shown.length}
            rowRem={1.75}
            row={(at) => shown[at] && <PathRow row={shown[at]} columns={columns} answers={answers} />}
          />
        </div>
      </div>
    </section>
  );
}

interface Row {
  readonly path: string;
  readonly values: readonly unknown[];
  readonly isDifferent: boolean;
}

function toRows(answers: readonly RevisionAnswer[]): readonly Row[] {
  const flat = answers.map(({ result }) => flatten(result));
  const paths = new Set(flat.flatMap((values) => [...values.keys()]));
  return [...paths].map((path) => {
    const values = flat.map((one) => one.get(path));
    const isDifferent = values.some((value) => JSON.stringify(value) !== JSON.stringify(values[0]));
    return { path, values, isDifferent };
  });
}

interface PathRowProps {
  readonly row: Row;
  readonly columns: { readonly gridTemplateColumns: string };
  readonly answers: readonly RevisionAnswer[];
}

function PathRow({ row, columns, answers }: PathRowProps) {
  // The value that most revisions have is the usual one; what differs from it is marked.
  const usual = mostOf(row.values.map((value) => JSON.stringify(value)));
  return (
    <span class="path-row" style={columns}>
      <span class="mono clip path" title={row.path}>
        {row.path || "/"}
      </span>
      {row.values.map((value, at) => (
        <span
          key={answers[at]?.revision}
          class={`clip mono${row.isDifferent && JSON.stringify(value) !== usual ? " different" : ""}`}
          title={typeof value === "string" ? value.slice(0, 1000) : undefined}
        >
          <span class="hidden-text">{answers[at]?.revision}: </span>
          {value === undefined ? <span class="faint">absent</span> : <Scalar value={value} />}
        </span>
      ))}
    </span>
  );
}

function mostOf(texts: readonly (string | undefined)[]): string | undefined {
  const counts = new Map<string | undefined, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1])[0]?.[0];
}

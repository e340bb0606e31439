import { useState } from "preact/hooks";
import { Scalar } from "../parts/json-tree.tsx";
import type { Table } from "./to-table.ts";

interface TableViewProps {
  readonly table: Table;
  readonly label: string;
}

export function TableView({ table, label }: TableViewProps) {
  const [shown, setShown] = useState(100);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keys.
    <section class="table-box" tabIndex={0} aria-label={label}>
      <table>
        {table.name !== undefined && <caption class="small soft">{table.name.slice(0, 200)}</caption>}
        <thead>
          <tr>
            {table.columns.map((column) => (
              <th key={column}>{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.slice(0, shown).map((row, at) => (
            <tr key={at}>
              {table.columns.map((column) => (
                <td key={column}>
                  <Cell value={Object.hasOwn(row, column) ? row[column] : undefined} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {table.rows.length > shown && (
        <button type="button" class="button quiet" onClick={() => setShown(shown + 500)}>
          Show more of {table.rows.length.toLocaleString("en")} rows
        </button>
      )}
    </section>
  );
}

function Cell({ value }: { readonly value: unknown }) {
  if (value === undefined) return <span class="faint">–</span>;
  if (typeof value === "object" && value !== null)
    return <code class="tiny">{JSON.stringify(value).slice(0, 300)}</code>;
  return <Scalar value={value} />;
}

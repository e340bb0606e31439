import { useMemo, useState } from "preact/hooks";
import type { OutputCheck } from "../../../src/inspector/messages/use.ts";
import { Badge, Note } from "../parts/badge.tsx";
import { JsonText } from "../parts/json-text.tsx";
import { JsonTree, Scalar } from "../parts/json-tree.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { type Table, toTable } from "./to-table.ts";

type Look = "table" | "tree" | "json";

interface StructuredViewProps {
  readonly value: unknown;
  readonly check?: OutputCheck;
}

/** Structured content as a table where it is one, as a tree, and as JSON. */
export function StructuredView({ value, check }: StructuredViewProps) {
  const table = useMemo(() => toTable(value), [value]);
  const [chosen, setChosen] = useState<Look>(table ? "table" : "tree");
  const look = chosen === "table" && !table ? "tree" : chosen;
  const looks: readonly Look[] = table ? ["table", "tree", "json"] : ["tree", "json"];
  return (
    <section class="stack" aria-label="Structured content">
      <div class="row wraps">
        <h3>Structured content</h3>
        {check && <CheckBadge check={check} />}
        <span class="grow" />
        <Tabs
          label="How to show structured content"
          tabs={looks.map((name) => ({
            name,
            title: name === "json" ? "JSON" : name === "tree" ? "Tree" : "Table",
          }))}
          chosen={look}
          onChoose={setChosen}
        />
      </div>
      {check && "problems" in check && check.problems.length > 0 && (
        <Note tone="bad">
          <ul class="bullets">
            {check.problems.slice(0, 50).map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Note>
      )}
      {look === "table" && table && <TableView table={table} />}
      {look === "tree" && <JsonTree value={value} />}
      {look === "json" && <JsonText value={value} label="Structured content as JSON" />}
    </section>
  );
}

function CheckBadge({ check }: { readonly check: OutputCheck }) {
  switch (check.state) {
    case "valid":
      return <Badge tone="good">fits the output schema</Badge>;
    case "invalid":
      return <Badge tone="bad">breaks the output schema</Badge>;
    case "unusable-schema":
      return <Badge tone="warn">the output schema is unusable</Badge>;
    case "no-schema":
      return <Badge>no output schema</Badge>;
  }
}

function TableView({ table }: { readonly table: Table }) {
  const [shown, setShown] = useState(100);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keys.
    <section class="table-box" tabIndex={0} aria-label="Structured content as a table">
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
                  <Cell value={row[column]} />
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

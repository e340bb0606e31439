import { useMemo, useState } from "preact/hooks";
import type { CheckedOutput } from "../../../src/inspector/messages/use.ts";
import { Badge, Note } from "../parts/badge.tsx";
import { JsonText } from "../parts/json-text.tsx";
import { JsonTree } from "../parts/json-tree.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { TableView } from "./table-view.tsx";
import { toTable } from "./to-table.ts";

type Look = "table" | "tree" | "json";

interface StructuredViewProps {
  readonly value: unknown;
  readonly check?: CheckedOutput;
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
      {look === "table" && table && <TableView table={table} label="Structured content as a table" />}
      {look === "tree" && <JsonTree value={value} />}
      {look === "json" && <JsonText value={value} label="Structured content as JSON" />}
    </section>
  );
}

function CheckBadge({ check }: { readonly check: CheckedOutput }) {
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

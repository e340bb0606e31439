import { useMemo, useState } from "preact/hooks";
import { Note } from "../parts/badge.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { issuesOf } from "./issues.ts";
import { JsonEditor } from "./json-editor.tsx";
import { Members } from "./object-field.tsx";
import { kindOf, limits, resolve, toSchema } from "./schema.ts";

interface SchemaFormProps {
  readonly schema: unknown;
  readonly value: unknown;
  /** Shows what is missing; until the person has tried once, an empty form is not called wrong. */
  readonly showsIssues: boolean;
  readonly onChange: (value: unknown) => void;
  /** Told why the text of the JSON side is not JSON, and of undefined once it is. */
  readonly onProblem?: ((problem: string | undefined) => void) | undefined;
}

type Side = "both" | "form" | "json";

/** Tells schemas that a form is made of; values of all others are edited as JSON. */
export function hasForm(schema: unknown): boolean {
  const root = toSchema(schema);
  return JSON.stringify(schema ?? {}).length <= limits.size && kindOf(resolve(root, root)) === "object";
}

/** A form made from a JSON Schema, with the same value as JSON beside it. */
export function SchemaForm({ schema, value, showsIssues, onChange, onProblem }: SchemaFormProps) {
  const [side, setSide] = useState<Side>("form");
  const root = toSchema(schema);
  const size = useMemo(() => JSON.stringify(schema ?? {}).length, [schema]);
  const resolved = useMemo(() => resolve(root, root), [root]);
  const issues = useMemo(() => (showsIssues ? issuesOf(value, root, root) : []), [showsIssues, value, root]);
  const isForm = useMemo(() => hasForm(schema), [schema]);
  return (
    <div class="schema-form">
      {isForm ? (
        <Tabs
          label="How to edit"
          tabs={[
            { name: "form", title: "Form" },
            { name: "json", title: "JSON" },
            { name: "both", title: "Both" },
          ]}
          chosen={side}
          onChoose={setSide}
        />
      ) : (
        <Note tone="warn">
          {size > limits.size
            ? "This schema is too large for a form. Edit the value as JSON."
            : "This schema is not one plain object. Edit the value as JSON."}
        </Note>
      )}
      <div class={`sides ${isForm ? side : "json"}`}>
        {isForm && side !== "json" && (
          <div class="fields">
            {Object.keys(resolved.properties ?? {}).length === 0 && !resolved.additionalProperties && (
              <p class="small soft">Nothing to fill in.</p>
            )}
            <Members
              name=""
              schema={resolved}
              root={root}
              value={value}
              isRequired
              depth={0}
              path=""
              issues={issues}
              onChange={onChange}
            />
          </div>
        )}
        {(side !== "form" || !isForm) && (
          <JsonEditor value={value} onChange={onChange} onProblem={onProblem} />
        )}
      </div>
    </div>
  );
}

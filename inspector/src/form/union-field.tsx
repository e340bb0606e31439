import { useState } from "preact/hooks";
import { type ControlProps, Field } from "./field.tsx";
import { issuesOf } from "./issues.ts";
import { Members } from "./object-field.tsx";
import { branchesOf, kindOf, type Schema } from "./schema.ts";
import { startValue } from "./start-value.ts";

/** One of several shapes: a choice of the branch, and the field of that branch. */
export function UnionField(props: ControlProps) {
  const { schema, root, value, onChange, id } = props;
  const branches = branchesOf(schema, root);
  const [picked, setPicked] = useState<number>();
  const fitting = branches.findIndex(
    (branch) => value !== undefined && issuesOf(value, branch, root).length === 0,
  );
  const chosen = picked ?? (value === undefined ? -1 : Math.max(fitting, 0));
  const branch = branches[chosen];
  const pick = (text: string) => {
    const at = text === "" ? undefined : Number(text);
    const next = at === undefined ? undefined : branches[at];
    setPicked(at);
    onChange(next && (startValue(next, root) ?? emptyOf(next)));
  };
  return (
    <div class="nested">
      <select
        aria-label={`Shape of ${props.name}`}
        aria-describedby={props.describedBy}
        id={id}
        value={chosen < 0 ? "" : String(chosen)}
        onChange={(event) => pick(event.currentTarget.value)}
      >
        <option value="">not chosen</option>
        {branches.map((one, at) => (
          <option key={at} value={String(at)}>
            {titleOf(one, at)}
          </option>
        ))}
      </select>
      {branch && <Branch key={chosen} {...props} branch={branch} />}
    </div>
  );
}

/** The chosen shape. The members of an object stand for themselves; its name is in the choice above. */
function Branch({ branch, ...props }: ControlProps & { readonly branch: Schema }) {
  const { description: _, title: __, ...schema } = branch;
  const inner = { ...props, schema, isRequired: true, depth: props.depth + 1 };
  const kind = kindOf(branch);
  if (kind === "null" || kind === "constant") return null;
  return kind === "object" ? <Members {...inner} /> : <Field {...inner} name="value" />;
}

function titleOf(branch: Schema, at: number): string {
  if (typeof branch.title === "string") return branch.title.slice(0, 80);
  const kind = kindOf(branch);
  if (kind !== "object") return `${kind}${typeof branch.format === "string" ? ` (${branch.format})` : ""}`;
  // The constant that tells the branches apart names them best.
  const properties = Object.values(branch.properties ?? {}) as Schema[];
  const constant = properties.find((property) => typeof property?.const === "string")?.const;
  return constant ? String(constant) : `object ${at + 1}`;
}

function emptyOf(schema: Schema): unknown {
  return kindOf(schema) === "string" ? "" : undefined;
}

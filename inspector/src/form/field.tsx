import { useId } from "preact/hooks";
import { toCount } from "../parts/format.ts";
import { ArrayField } from "./array-field.tsx";
import {
  BooleanField,
  ChoiceField,
  ConstantField,
  FileField,
  JsonField,
  NumberField,
  TextField,
} from "./controls.tsx";
import type { Issue } from "./issues.ts";
import { ObjectField } from "./object-field.tsx";
import { kindOf, limits, resolve, type Schema } from "./schema.ts";
import { UnionField } from "./union-field.tsx";

/** One value of a form, whatever its schema. */
export interface FieldProps {
  readonly name: string;
  readonly schema: Schema;
  readonly root: Schema;
  readonly value: unknown;
  readonly isRequired: boolean;
  readonly depth: number;
  /** A JSON Pointer into the value of the form. */
  readonly path: string;
  readonly issues: readonly Issue[];
  /** `undefined` takes the member out. */
  readonly onChange: (value: unknown) => void;
}

/** A field with what its control needs: the resolved schema and the ids that tie label, help and error to it. */
export interface ControlProps extends FieldProps {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
}

export function Field(props: FieldProps) {
  const id = useId();
  const schema = resolve(props.schema, props.root);
  const kind = props.depth > limits.depth ? "any" : kindOf(schema);
  const issue = props.issues.find(({ path }) => path === props.path);
  const description = typeof schema.description === "string" ? schema.description : undefined;
  const hint = hintOf(schema);
  const described = [description && `${id}-help`, hint && `${id}-hint`, issue && `${id}-issue`].filter(
    Boolean,
  );
  const control: ControlProps = {
    ...props,
    schema,
    id,
    describedBy: described.length > 0 ? described.join(" ") : undefined,
    isInvalid: issue !== undefined,
  };
  const isGroup = kind === "object" || kind === "array" || kind === "union";
  const title = typeof schema.title === "string" ? schema.title : undefined;
  const label = (
    <>
      <span class="field-name">{title ?? props.name}</span>{" "}
      {title && title !== props.name && <code class="faint tiny">{props.name}</code>}{" "}
      {props.isRequired && <span class="field-required">required</span>}{" "}
      <span class="field-kind">{kindLabel(kind, schema)}</span>
      {schema.deprecated === true && <span class="field-kind warn">deprecated</span>}
    </>
  );
  return (
    <div
      class={`field${isGroup ? " group" : ""}${issue ? " invalid" : ""}`}
      {...(isGroup && { role: "group", "aria-labelledby": `${id}-label` })}
    >
      {isGroup || kind === "boolean" ? (
        <div class="field-label" id={`${id}-label`}>
          {label}
        </div>
      ) : (
        <label class="field-label" for={id}>
          {label}
        </label>
      )}
      {description && (
        <p class="field-help" id={`${id}-help`}>
          {description.slice(0, 2000)}
        </p>
      )}
      {controlOf(kind, control)}
      {hint && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {issue && (
        <p class="field-issue" id={`${id}-issue`}>
          {issue.message}
        </p>
      )}
    </div>
  );
}

function controlOf(kind: ReturnType<typeof kindOf>, props: ControlProps) {
  switch (kind) {
    case "object":
      return <ObjectField {...props} />;
    case "array":
      return <ArrayField {...props} />;
    case "union":
      return <UnionField {...props} />;
    case "choice":
      return <ChoiceField {...props} />;
    case "boolean":
      return <BooleanField {...props} />;
    case "number":
    case "integer":
      return <NumberField {...props} />;
    case "file":
      return <FileField {...props} />;
    case "constant":
    case "null":
      return <ConstantField {...props} />;
    case "string":
      return <TextField {...props} />;
    default:
      return <JsonField {...props} />;
  }
}

function kindLabel(kind: string, schema: Schema): string {
  if (kind === "choice" || kind === "union") return "one of";
  if (kind === "any") return "JSON";
  return typeof schema.format === "string" ? `${kind} · ${schema.format.slice(0, 40)}` : kind;
}

/** The bounds of a value in words. */
function hintOf(schema: Schema): string | undefined {
  const parts = [
    typeof schema.minimum === "number" && `at least ${schema.minimum}`,
    typeof schema.maximum === "number" && `at most ${schema.maximum}`,
    typeof schema.multipleOf === "number" && `a multiple of ${schema.multipleOf}`,
    typeof schema.minLength === "number" &&
      schema.minLength > 0 &&
      `at least ${toCount(schema.minLength, "character")}`,
    typeof schema.maxLength === "number" && `at most ${toCount(schema.maxLength, "character")}`,
    typeof schema.pattern === "string" && `matches ${schema.pattern.slice(0, 120)}`,
  ];
  const [example] = Array.isArray(schema.examples) ? schema.examples : [];
  if (example !== undefined) parts.push(`such as ${JSON.stringify(example).slice(0, 120)}`);
  const words = parts.filter(Boolean).join(", ");
  return words || undefined;
}

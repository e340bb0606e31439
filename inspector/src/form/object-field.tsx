import { useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { type ControlProps, Field } from "./field.tsx";
import { isRecord, limits, propertiesOf, requiredOf, resolve, type Schema } from "./schema.ts";
import { startValue } from "./start-value.ts";

/** An object inside a form: closed until it has a value, so that a schema that contains itself ends. */
export function ObjectField(props: ControlProps) {
  const { value, onChange, schema, root, isRequired } = props;
  if (value === undefined) {
    return (
      <Button icon="plus" onPress={() => onChange(startValue(schema, root) ?? {})}>
        Add {props.name}
      </Button>
    );
  }
  return (
    <div class="nested">
      <Members {...props} value={value} />
      {!isRequired && (
        <Button look="quiet" icon="close" onPress={() => onChange(undefined)}>
          Leave out {props.name}
        </Button>
      )}
    </div>
  );
}

/** The members of an object, with and without a schema of their own. */
export function Members(props: Omit<ControlProps, "id" | "describedBy" | "isInvalid">) {
  const [isWhole, setWhole] = useState(false);
  const { schema, root, depth, path, issues, onChange } = props;
  const value = isRecord(props.value) ? props.value : {};
  const required = requiredOf(schema);
  const known = propertiesOf(schema);
  const shown = isWhole ? known.slice(0, limits.properties * 5) : known.slice(0, limits.properties);
  const names = new Set(known.map(([name]) => name));
  const change = (name: string, next: unknown) => {
    const { [name]: _, ...others } = value;
    onChange(next === undefined ? others : { ...value, [name]: next });
  };
  const member = (name: string, property: Schema) => (
    <Field
      key={name}
      name={name}
      schema={property}
      root={root}
      value={Object.hasOwn(value, name) ? value[name] : undefined}
      isRequired={required.has(name)}
      depth={depth + 1}
      path={`${path}/${name}`}
      issues={issues}
      onChange={(next) => change(name, next)}
    />
  );
  const others = Object.keys(value).filter((name) => !names.has(name));
  return (
    <>
      {shown.map(([name, property]) => member(name, property))}
      {known.length > shown.length && (
        <Button look="quiet" onPress={() => setWhole(true)}>
          Show {(known.length - shown.length).toLocaleString("en")} more fields
        </Button>
      )}
      {others
        .slice(0, limits.properties)
        .map((name) => member(name, resolve(schema.additionalProperties, root)))}
      {schema.additionalProperties !== false &&
        (schema.additionalProperties !== undefined || (known.length === 0 && depth > 0)) && (
          <NewMember onAdd={(name) => change(name, startValue(schema.additionalProperties, root) ?? "")} />
        )}
    </>
  );
}

function NewMember({ onAdd }: { readonly onAdd: (name: string) => void }) {
  const [name, setName] = useState("");
  const add = () => {
    if (name.trim() === "") return;
    onAdd(name.trim());
    setName("");
  };
  return (
    <div class="row">
      <input
        type="text"
        aria-label="Name of a new member"
        placeholder="name of a new member"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <Button icon="plus" onPress={add} disabled={name.trim() === ""}>
        Add
      </Button>
    </div>
  );
}

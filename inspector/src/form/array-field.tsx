import { Button } from "../parts/button.tsx";
import { type ControlProps, Field } from "./field.tsx";
import { choicesOf, limits, resolve, toSchema } from "./schema.ts";
import { startValue } from "./start-value.ts";

export function ArrayField(props: ControlProps) {
  const { schema, root, value, onChange, isRequired, path, name } = props;
  const items = Array.isArray(value) ? value : [];
  const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  const itemSchema = (at: number) => toSchema(prefix[at] ?? schema.items);
  const choices = choicesOf(resolve(schema.items, root));
  if (choices && choices.length <= 24 && schema.uniqueItems === true) return <ManyChoices {...props} />;
  const add = () =>
    onChange([...items, startValue(itemSchema(items.length), root) ?? emptyOf(itemSchema(items.length))]);
  const isFull = typeof schema.maxItems === "number" && items.length >= schema.maxItems;
  return (
    <div class="nested">
      {items.slice(0, limits.items).map((item, at) => (
        <div class="item" key={at}>
          <Field
            name={`${at + 1}`}
            schema={itemSchema(at)}
            root={root}
            value={item}
            isRequired
            depth={props.depth + 1}
            path={`${path}/${at}`}
            issues={props.issues}
            onChange={(next) => onChange(items.with(at, next ?? null))}
          />
          <Button
            look="quiet"
            icon="close"
            label={`Take out ${name} ${at + 1}`}
            onPress={() => onChange(items.toSpliced(at, 1))}
          />
        </div>
      ))}
      {items.length > limits.items && (
        <p class="field-hint">{items.length} items; the rest is in the JSON.</p>
      )}
      <div class="row">
        <Button icon="plus" onPress={add} disabled={isFull}>
          Add to {name}
        </Button>
        {!isRequired && value !== undefined && (
          <Button look="quiet" onPress={() => onChange(undefined)}>
            Leave out
          </Button>
        )}
      </div>
    </div>
  );
}

/** A list of different values out of a few: one box for each. */
function ManyChoices({ schema, root, value, onChange }: ControlProps) {
  const chosen = new Set(Array.isArray(value) ? value.map((item) => JSON.stringify(item)) : []);
  const choices = choicesOf(resolve(schema.items, root)) ?? [];
  const toggle = (text: string) => {
    const next = new Set(chosen);
    if (!next.delete(text)) next.add(text);
    onChange(choices.map((choice) => choice.value).filter((one) => next.has(JSON.stringify(one))));
  };
  return (
    <div class="row wraps">
      {choices.map((choice) => (
        <label class="check" key={choice.title}>
          <input
            type="checkbox"
            checked={chosen.has(JSON.stringify(choice.value))}
            onChange={() => toggle(JSON.stringify(choice.value))}
          />
          {choice.title}
        </label>
      ))}
    </div>
  );
}

function emptyOf(schema: Readonly<Record<string, unknown>>): unknown {
  if (schema.type === "boolean") return null;
  return schema.type === "number" || schema.type === "integer" ? 0 : "";
}

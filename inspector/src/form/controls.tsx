import { useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { toBytes } from "../parts/format.ts";
import { Input } from "../parts/input.tsx";
import type { ControlProps } from "./field.tsx";
import { choicesOf, isSecret, limits } from "./schema.ts";

/** The attributes that every control has. */
function common({ id, describedBy, isInvalid, isRequired }: ControlProps) {
  return {
    id,
    "aria-describedby": describedBy,
    "aria-invalid": isInvalid || undefined,
    "aria-required": isRequired || undefined,
  } as const;
}

/** An empty field of something optional is no member; of something required, it is the empty text. */
export function TextField(props: ControlProps) {
  const { schema, value, onChange, isRequired, name } = props;
  const text = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  const change = (next: string) => onChange(next === "" && !isRequired ? undefined : next);
  const onInput = (event: { currentTarget: { value: string } }) => change(event.currentTarget.value);
  const isLong =
    typeof schema.maxLength === "number" ? schema.maxLength > 200 : text.includes("\n") || text.length > 90;
  if (isLong && !isSecret(name, schema))
    return <textarea {...common(props)} rows={3} value={text} onInput={onInput} />;
  const [type, spelling] = inputType(name, schema);
  return (
    <Input
      {...common(props)}
      type={type}
      value={text}
      spellcheck={spelling}
      autocomplete="off"
      onInput={onInput}
    />
  );
}

function inputType(
  name: string,
  schema: ControlProps["schema"],
): readonly ["text" | "password" | "url" | "email" | "date", boolean] {
  if (isSecret(name, schema)) return ["password", false];
  switch (schema.format) {
    case "email":
      return ["email", false];
    case "date":
      return ["date", false];
    case "uri":
    case "url":
      return ["url", false];
    default:
      return ["text", schema.format === undefined];
  }
}

/** What was typed is the value while it is not a number yet, such as "-" or "1e". */
export function NumberField(props: ControlProps) {
  const { value, onChange } = props;
  const [typed, setTyped] = useState<string>();
  const text = value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
  const shown = typed !== undefined && toNumber(typed) === value ? typed : text;
  const onInput = (event: { currentTarget: { value: string } }) => {
    setTyped(event.currentTarget.value);
    onChange(toNumber(event.currentTarget.value));
  };
  return (
    <input
      {...common(props)}
      class="narrow"
      type="text"
      inputMode="decimal"
      autocomplete="off"
      value={shown}
      onInput={onInput}
    />
  );
}

function toNumber(text: string): number | string | undefined {
  if (text.trim() === "") return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

/** Yes or no. A boolean that nobody has decided is neither. */
export function BooleanField(props: ControlProps) {
  const { value, onChange, isRequired, id } = props;
  const choices = [true, false, ...(isRequired ? [] : [undefined])];
  return (
    <div class="segments" role="radiogroup" {...common(props)} aria-labelledby={`${id}-label`}>
      {choices.map((choice) => (
        <label key={String(choice)}>
          <input type="radio" name={id} checked={value === choice} onChange={() => onChange(choice)} />
          {choice === undefined ? "not sent" : String(choice)}
        </label>
      ))}
    </div>
  );
}

export function ChoiceField(props: ControlProps) {
  const { schema, value, onChange } = props;
  const choices = (choicesOf(schema) ?? []).slice(0, limits.choices);
  const all = choicesOf(schema)?.length ?? 0;
  const chosen = choices.findIndex((choice) => JSON.stringify(choice.value) === JSON.stringify(value));
  const onSelect = (event: { currentTarget: { value: string } }) =>
    onChange(
      event.currentTarget.value === "" ? undefined : choices[Number(event.currentTarget.value)]?.value,
    );
  return (
    <>
      <select {...common(props)} value={chosen < 0 ? "" : String(chosen)} onChange={onSelect}>
        <option value="">
          {value !== undefined && chosen < 0 ? `not listed: ${JSON.stringify(value)}` : "not chosen"}
        </option>
        {choices.map(({ title }, at) => (
          <option key={title} value={String(at)}>
            {title.slice(0, 200)}
          </option>
        ))}
      </select>
      {all > choices.length && (
        <p class="field-hint">
          {all.toLocaleString("en")} values; the first {limits.choices} are listed. Enter another one as JSON.
        </p>
      )}
    </>
  );
}

export function ConstantField(props: ControlProps) {
  const constant = "const" in props.schema ? props.schema.const : null;
  if (props.isRequired && props.value !== undefined)
    return (
      <output id={props.id} class="mono small">
        {JSON.stringify(constant)}
      </output>
    );
  return (
    <div class="row">
      <input
        {...common(props)}
        type="checkbox"
        class="switch"
        role="switch"
        checked={props.value !== undefined}
        aria-checked={props.value !== undefined}
        onChange={(event) => props.onChange(event.currentTarget.checked ? constant : undefined)}
      />
      <code>{JSON.stringify(constant)}</code>
    </div>
  );
}

/** Bytes that a file may have: they travel as text in one message. */
const maxFileBytes = 8_000_000;

/** Any value, as JSON. */
export function JsonField(props: ControlProps) {
  const { value, onChange } = props;
  const [typed, setTyped] = useState<string>();
  const text = value === undefined ? "" : JSON.stringify(value, null, 2);
  const shown =
    typed !== undefined && !isJson(typed) ? typed : typed !== undefined && same(typed, value) ? typed : text;
  const onInput = (event: { currentTarget: { value: string } }) => {
    const next = event.currentTarget.value;
    setTyped(next);
    onChange(isJson(next) ? JSON.parse(next) : undefined);
  };
  return (
    <>
      <textarea {...common(props)} class="mono" rows={3} spellcheck={false} value={shown} onInput={onInput} />
      {typed !== undefined && typed.trim() !== "" && !isJson(typed) && (
        <p class="field-issue">This is not JSON yet, and is not sent; a text needs quotation marks.</p>
      )}
    </>
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function same(text: string, value: unknown): boolean {
  return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
}

/** A file that is sent as base64, or as a data: address where the schema asks for one. */
export function FileField(props: ControlProps) {
  const { schema, value, onChange } = props;
  const [file, setFile] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const read = async (chosen: File) => {
    if (chosen.size > maxFileBytes)
      return setProblem(`The file has ${toBytes(chosen.size)}; at most ${toBytes(maxFileBytes)} fit.`);
    const address = await toDataAddress(chosen);
    setProblem(undefined);
    setFile(`${chosen.name}, ${toBytes(chosen.size)}`);
    onChange(schema.format === "data-url" ? address : address.slice(address.indexOf(",") + 1));
  };
  const accept = typeof schema.contentMediaType === "string" ? schema.contentMediaType : undefined;
  const onFile = (event: { currentTarget: HTMLInputElement }) => {
    const [chosen] = event.currentTarget.files ?? [];
    if (chosen) read(chosen).catch(() => setProblem("The browser could not read the file."));
  };
  return (
    <div class="stack tight">
      <input {...common(props)} type="file" accept={accept} onChange={onFile} />
      {typeof value === "string" && value !== "" && (
        <div class="row small soft">
          {file ?? `${toBytes(Math.floor((value.length * 3) / 4))} as base64`}
          <Button look="quiet" onPress={() => onChange(undefined)}>
            Take out
          </Button>
        </div>
      )}
      {problem && <p class="field-issue">{problem}</p>}
    </div>
  );
}

function toDataAddress(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

import {
  branchesOf,
  choicesOf,
  isRecord,
  kindOf,
  limits,
  propertiesOf,
  requiredOf,
  resolve,
  type Schema,
} from "./schema.ts";

export interface Issue {
  /** A JSON Pointer into the value. */
  readonly path: string;
  readonly message: string;
}

/**
 * What a person can mend before a call: missing members, numbers and lengths out of bounds. It is not a validator;
 * the inspector's server checks the whole schema.
 */
export function issuesOf(value: unknown, schema: unknown, root: Schema): readonly Issue[] {
  const issues: Issue[] = [];
  collect(value, resolve(schema, root), { root, path: "", depth: 0, issues });
  return issues;
}

interface Place {
  readonly root: Schema;
  readonly path: string;
  readonly depth: number;
  readonly issues: Issue[];
}

function collect(value: unknown, schema: Schema, place: Place): void {
  if (place.depth > limits.depth || place.issues.length >= 100) return;
  const message = wrong(value, schema, place.root);
  if (message) place.issues.push({ path: place.path, message });
  else if (isRecord(value)) collectMembers(value, schema, place);
  else if (Array.isArray(value)) {
    const items = resolve(schema.items, place.root);
    value.slice(0, limits.items).forEach((item, at) => {
      collect(item, items, inside(place, at));
    });
  }
}

function collectMembers(value: Readonly<Record<string, unknown>>, schema: Schema, place: Place): void {
  const properties = new Map(propertiesOf(schema));
  for (const name of requiredOf(schema))
    if (!Object.hasOwn(value, name) || value[name] === undefined)
      place.issues.push({ path: `${place.path}/${name}`, message: "This is required." });
  for (const [name, member] of Object.entries(value).slice(0, limits.properties)) {
    const property = properties.get(name);
    if (property) collect(member, resolve(property, place.root), inside(place, name));
  }
}

function inside(place: Place, key: string | number): Place {
  return { ...place, path: `${place.path}/${key}`, depth: place.depth + 1 };
}

function wrong(value: unknown, schema: Schema, root: Schema): string | undefined {
  const kind = kindOf(schema);
  if (kind === "union") return wrongInUnion(value, schema, root);
  if (kind === "choice") {
    const text = JSON.stringify(value);
    return choicesOf(schema)?.some((choice) => JSON.stringify(choice.value) === text)
      ? undefined
      : "Choose one of the listed values.";
  }
  if (typeof value === "number") return wrongNumber(value, schema, kind);
  if (kind === "number" || kind === "integer") return `${JSON.stringify(value)} is not a number.`;
  if (kind === "boolean" && typeof value !== "boolean") return "Choose true or false.";
  if (kind === "object" && !isRecord(value)) return "This must be an object.";
  if (kind === "array") return wrongList(value, schema);
  if (kind === "string" || kind === "file") return wrongText(value, schema);
}

/** Takes a union in a union for one that fits: it may contain itself. */
function wrongInUnion(value: unknown, schema: Schema, root: Schema): string | undefined {
  const fits = branchesOf(schema, root).some(
    (branch) => kindOf(branch) === "union" || wrong(value, branch, root) === undefined,
  );
  return fits ? undefined : "This fits none of the choices.";
}

function wrongNumber(value: number, schema: Schema, kind: string): string | undefined {
  if (kind === "string" || kind === "object" || kind === "array" || kind === "boolean")
    return `This must be ${kind === "object" || kind === "array" ? "an" : "a"} ${kind}.`;
  if (kind === "integer" && !Number.isInteger(value)) return "Enter a whole number.";
  if (typeof schema.minimum === "number" && value < schema.minimum) return `The least is ${schema.minimum}.`;
  if (typeof schema.maximum === "number" && value > schema.maximum) return `The most is ${schema.maximum}.`;
}

function wrongText(value: unknown, schema: Schema): string | undefined {
  if (typeof value !== "string") return "This must be a text.";
  if (typeof schema.minLength === "number" && value.length < schema.minLength)
    return `At least ${schema.minLength} characters are needed.`;
  if (typeof schema.maxLength === "number" && value.length > schema.maxLength)
    return `At most ${schema.maxLength} characters are allowed.`;
}

function wrongList(value: unknown, schema: Schema): string | undefined {
  if (!Array.isArray(value)) return "This must be a list.";
  if (typeof schema.minItems === "number" && value.length < schema.minItems)
    return `At least ${schema.minItems} items are needed.`;
  if (typeof schema.maxItems === "number" && value.length > schema.maxItems)
    return `At most ${schema.maxItems} items are allowed.`;
}

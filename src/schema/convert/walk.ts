import type { MutableJsonSchema } from "../json-schema.ts";
import { unrepresentableMark } from "./unrepresentable.ts";

export type SchemaDirection = "input" | "output";

/** Converts one schema object of a library, asking the walk for the schemas inside it. */
type ConvertOne<S> = (schema: S, walk: SchemaWalk<S>) => MutableJsonSchema;

/** One conversion of a library's schema objects; recursion becomes definitions. */
export class SchemaWalk<S> {
  readonly direction: SchemaDirection;
  readonly #convert: ConvertOne<S>;
  /** Schemas being converted; a name means that something inside refers back. */
  readonly #open = new Map<S, string | undefined>();
  readonly #defs: MutableJsonSchema = {};

  constructor(direction: SchemaDirection, convert: ConvertOne<S>) {
    this.direction = direction;
    this.#convert = convert;
  }

  root(schema: S): MutableJsonSchema {
    const json = this.to(schema);
    return Object.keys(this.#defs).length ? { ...json, $defs: this.#defs } : json;
  }

  to(schema: S): MutableJsonSchema {
    if (this.#open.has(schema)) {
      const [root] = this.#open.keys();
      if (schema === root) return { $ref: "#" };
      const name = this.#open.get(schema) ?? `schema${this.#open.size}`;
      this.#open.set(schema, name);
      return { $ref: `#/$defs/${name}` };
    }
    if (this.#open.size > 200) return this.refuse("endless nesting");
    this.#open.set(schema, undefined);
    const json = this.#convert(schema, this);
    const name = this.#open.get(schema);
    this.#open.delete(schema);
    if (name === undefined) return json;
    this.#defs[name] = json;
    return { $ref: `#/$defs/${name}` };
  }

  all(schemas: Iterable<S>): MutableJsonSchema[] {
    return Array.from(schemas, (schema) => this.to(schema));
  }

  object(
    shape: Readonly<Record<string, S>>,
    isRequired: (schema: S) => boolean,
    rest?: S | false,
  ): MutableJsonSchema {
    const members = Object.entries(shape);
    const required = members.filter(([, schema]) => isRequired(schema)).map(([key]) => key);
    return {
      type: "object",
      properties: Object.fromEntries(members.map(([key, schema]) => [key, this.to(schema)])),
      ...(required.length && { required }),
      ...(rest !== undefined && { additionalProperties: rest && this.to(rest) }),
    };
  }

  record(key: S, value: S): MutableJsonSchema {
    return { type: "object", propertyNames: this.to(key), additionalProperties: this.to(value) };
  }

  tuple(items: readonly S[], rest: S | boolean): MutableJsonSchema {
    return {
      type: "array",
      prefixItems: this.all(items),
      items: typeof rest === "boolean" ? rest : this.to(rest),
      minItems: items.length,
    };
  }

  choice(values: readonly unknown[]): MutableJsonSchema {
    const types = new Set(values.map((value) => (value === null ? "null" : typeof value)));
    for (const type of types) if (/undefined|bigint|symbol/.test(type)) return this.refuse(type);
    const [type] = types;
    if (!type) return { not: {} };
    return { ...(types.size === 1 && { type }), enum: values };
  }

  literal(values: readonly unknown[]): MutableJsonSchema {
    const { enum: options, ...json } = this.choice(values);
    if (!options) return json;
    return values.length === 1 ? { ...json, const: values[0] } : { ...json, enum: options };
  }

  nullable(schema: S): MutableJsonSchema {
    return { anyOf: [this.to(schema), { type: "null" }] };
  }

  /** Marks a part that has no JSON Schema. */
  refuse(kind: string): MutableJsonSchema {
    return { [unrepresentableMark]: kind };
  }
}

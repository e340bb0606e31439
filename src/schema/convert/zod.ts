import type { MutableJsonSchema } from "../json-schema.ts";
import type { StandardSchema } from "../standard-schema.ts";
import { probeAbsent } from "../standard-schema.ts";
import { addCheck } from "./library-check.ts";
import { type SchemaDirection, SchemaWalk } from "./walk.ts";

/** The inside of a schema of zod 3 (`_def`), and of zod 4 and zod mini (`_zod`). */
export interface Zod extends StandardSchema {
  readonly _zod?: {
    readonly def: ZodDef;
    readonly optin?: string;
    readonly optout?: string;
    readonly pattern?: RegExp;
  };
  readonly _def?: ZodDef;
  readonly meta?: () => MutableJsonSchema | undefined;
}

/** The members that the two generations call differently have both names here. */
export interface ZodDef {
  readonly type?: unknown;
  readonly typeName?: string;
  readonly description?: string;
  readonly checks?: readonly ZodCheck[];
  readonly innerType?: Zod;
  readonly schema?: Zod;
  readonly element?: Zod;
  readonly items?: readonly Zod[];
  readonly rest?: Zod | null;
  readonly options?: Iterable<Zod>;
  readonly left?: Zod;
  readonly right?: Zod;
  readonly in?: Zod;
  readonly out?: Zod;
  readonly catchall?: Zod;
  readonly keyType?: Zod;
  readonly valueType?: Zod;
  readonly shape?: Record<string, Zod> | (() => Record<string, Zod>);
  readonly getter?: () => Zod;
  readonly unknownKeys?: string;
  readonly effect?: { readonly type: string };
  readonly value?: unknown;
  readonly values?: unknown;
  readonly entries?: MutableJsonSchema;
  readonly defaultValue?: unknown;
}

interface ZodCheck {
  readonly _zod?: { readonly def: ZodCheck };
  readonly kind?: string;
  readonly check?: string;
  readonly format?: string;
  readonly value?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly length?: number;
  readonly inclusive?: boolean;
  readonly local?: boolean;
  readonly version?: string;
  readonly pattern?: RegExp;
  readonly regex?: RegExp;
}

/** Zod 4 converts itself since 4.2; this is for the other versions, and for zod mini. */
export function fromZod(schema: Zod, direction: SchemaDirection): MutableJsonSchema {
  return new SchemaWalk<Zod>(direction, convert).root(schema);
}

function defOf({ _zod, _def }: Zod): ZodDef {
  return _zod?.def ?? _def ?? {};
}

/** The kind of a schema in the words of zod 4. */
function typeOf(schema: Zod): string {
  const { type, typeName } = defOf(schema);
  return (typeName?.slice(3).toLowerCase() ?? (typeof type === "string" ? type : "")).replace("_", "");
}

function convert(schema: Zod, walk: SchemaWalk<Zod>): MutableJsonSchema {
  const def = defOf(schema);
  const type = typeOf(schema);
  const make = types[type];
  const inner = type === "promise" ? undefined : (def.innerType ?? (type === "branded" && (def.type as Zod)));
  // optional, catch, readonly and the like: the schema inside is what is sent.
  const json = make ? make(def, walk, schema) : inner ? walk.to(inner) : walk.refuse(type);
  const { id: _, ...meta } = metaOf(schema);
  return { ...json, ...meta };
}

/** Zod 4 keeps descriptions in a registry, which it puts on the global object to share it. */
function metaOf(schema: Zod): MutableJsonSchema {
  const { description } = defOf(schema);
  if (description !== undefined) return { description };
  if (!schema._zod) return {};
  const shared = globalThis as { __zod_globalRegistry?: { get(schema: Zod): MutableJsonSchema | undefined } };
  return schema.meta?.() ?? shared.__zod_globalRegistry?.get(schema) ?? {};
}

type Make = (def: ZodDef, walk: SchemaWalk<Zod>, schema: Zod) => MutableJsonSchema;

const scalar: Make = (def, _, schema) => withChecks({ type: typeOf(schema) }, def);
const anything: Make = () => ({});
const union: Make = ({ options = [] }, walk) => ({ anyOf: walk.all(options) });
const pipe: Make = (def, walk) => {
  const isInput = walk.direction === "input" && typeOf(def.in as Zod) !== "transform";
  return walk.to((isInput ? def.in : def.out) as Zod);
};
const preset: Make = ({ innerType, defaultValue }, walk) => ({
  ...walk.to(innerType as Zod),
  default: typeof defaultValue === "function" ? defaultValue() : defaultValue,
});

const types: Readonly<Record<string, Make>> = {
  string: scalar,
  number: scalar,
  boolean: scalar,
  null: scalar,
  any: anything,
  unknown: anything,
  never: () => ({ not: {} }),
  literal: ({ values, value }, walk) => walk.literal((values as unknown[]) ?? [value]),
  enum: ({ entries, values }, walk) => walk.choice(enumValues(entries ?? (values as MutableJsonSchema))),
  nativeenum: ({ values }, walk) => walk.choice(enumValues(values as MutableJsonSchema)),
  templateliteral: (_, __, { _zod }) => ({ type: "string", pattern: _zod?.pattern?.source }),
  array: (def, walk) => withChecks({ type: "array", items: walk.to((def.element ?? def.type) as Zod) }, def),
  tuple: ({ items = [], rest }, walk) => walk.tuple(items, rest ?? false),
  object,
  record: ({ keyType, valueType }, walk) => walk.record(keyType as Zod, valueType as Zod),
  union,
  discriminatedunion: union,
  intersection: ({ left, right }, walk) => ({ allOf: walk.all([left as Zod, right as Zod]) }),
  nullable: ({ innerType }, walk) => walk.nullable(innerType as Zod),
  default: preset,
  prefault: preset,
  lazy: ({ getter }, walk) => walk.to((getter as () => Zod)()),
  pipe,
  pipeline: pipe,
  effects: ({ effect, schema }, walk) => {
    const isLost = effect?.type === "transform" && walk.direction === "output";
    return isLost ? walk.refuse("transform") : walk.to(schema as Zod);
  },
};

function object({ shape = {}, catchall, unknownKeys }: ZodDef, walk: SchemaWalk<Zod>): MutableJsonSchema {
  const isClosed = unknownKeys ? unknownKeys === "strict" : catchall !== undefined;
  const rest = catchall && typeOf(catchall) !== "never" ? catchall : isClosed ? false : undefined;
  const members = typeof shape === "function" ? shape() : shape;
  return walk.object(members, (schema) => isRequired(schema, walk.direction), rest);
}

function isRequired(schema: Zod, direction: SchemaDirection): boolean {
  if (schema._zod) return (direction === "input" ? optionalIn(schema) : schema._zod.optout) === undefined;
  const { accepts, fills } = probeAbsent(schema);
  return !accepts || (direction === "output" && fills);
}

/** A transform or a catch is run for an absent value too, but that is not what its author declares. */
function optionalIn(schema: Zod): string | undefined {
  const { innerType, in: from, out } = defOf(schema);
  if (typeOf(schema) === "catch") return optionalIn(innerType as Zod);
  return from && typeOf(from) === "transform" ? optionalIn(out as Zod) : schema._zod?.optin;
}

/** A TypeScript enum also maps its numbers back to names. */
function enumValues(values: MutableJsonSchema): unknown[] {
  const names = Object.keys(values).filter((name) => typeof values[values[name] as string] !== "number");
  return [...new Set(names.map((name) => values[name]))];
}

/** In zod 4 a format such as `z.email()` is its own first check; in zod 3 the sizes of an array are not checks. */
function withChecks(json: MutableJsonSchema, def: ZodDef): MutableJsonSchema {
  for (const item of [def as ZodCheck, ...(def.checks ?? [])]) {
    const { check, kind, format, value, minimum, maximum, length, ...more } = item._zod?.def ?? item;
    const name = /_format$/.test(check ?? "") ? format : (check ?? kind);
    if (!name || more.local) continue;
    addCheck(json, {
      name: name === "ip" ? `ip${more.version}` : name,
      value: value ?? minimum ?? maximum ?? length,
      pattern: more.pattern ?? more.regex,
      isExclusive: more.inclusive === false,
    });
  }
  const sizes = def as Readonly<Record<string, { readonly value: number } | null | undefined>>;
  for (const [key, name] of [
    ["minLength", "min"],
    ["maxLength", "max"],
    ["exactLength", "length"],
  ] as const) {
    if (json.type === "array" && sizes[key]) addCheck(json, { name, value: sizes[key].value });
  }
  return json;
}

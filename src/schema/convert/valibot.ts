import type { MutableJsonSchema } from "../json-schema.ts";
import { addCheck } from "./library-check.ts";
import { type SchemaDirection, SchemaWalk } from "./walk.ts";

/** A valibot schema, or an action in a pipe: both are plain objects. */
interface Valibot {
  readonly kind: "schema" | "validation" | "transformation" | "metadata";
  readonly type: string;
  readonly pipe?: readonly [Valibot, ...Valibot[]];
  readonly wrapped?: Valibot;
  readonly rest?: Valibot;
  readonly item?: Valibot;
  readonly items?: readonly Valibot[];
  readonly entries?: Readonly<Record<string, Valibot>>;
  readonly options?: readonly unknown[];
  readonly literal?: unknown;
  readonly key?: Valibot;
  readonly value?: Valibot;
  readonly getter?: (input: unknown) => Valibot;
  readonly default?: unknown;
  readonly requirement?: unknown;
  readonly metadata?: MutableJsonSchema;
}

export function fromValibot(schema: Valibot, direction: SchemaDirection): MutableJsonSchema {
  return new SchemaWalk<Valibot>(direction, convert).root(schema);
}

function convert(schema: Valibot, walk: SchemaWalk<Valibot>): MutableJsonSchema {
  if (schema.pipe) return pipeline(schema.pipe, walk);
  // `strict_object` is made like `object`, `loose_tuple` like `tuple`.
  const make = types[/object|tuple/.exec(schema.type)?.[0] ?? schema.type];
  if (make) return make(schema, walk);
  // optional, nullish, non_optional, undefinedable and the like.
  if (!schema.wrapped) return walk.refuse(schema.type);
  const json = /^null/.test(schema.type) ? walk.nullable(schema.wrapped) : walk.to(schema.wrapped);
  const preset = typeof schema.default === "function" ? schema.default() : schema.default;
  return preset === undefined ? json : { ...json, default: preset };
}

type Make = (schema: Valibot, walk: SchemaWalk<Valibot>) => MutableJsonSchema;

const scalar: Make = ({ type }) => ({ type });
const anything: Make = () => ({});
const choice: Make = ({ options = [] }, walk) => walk.choice(options);
const union: Make = ({ options }, walk) => ({ anyOf: walk.all(options as Valibot[]) });

const types: Readonly<Record<string, Make>> = {
  string: scalar,
  number: scalar,
  boolean: scalar,
  null: scalar,
  any: anything,
  unknown: anything,
  never: () => ({ not: {} }),
  literal: ({ literal }, walk) => walk.literal([literal]),
  picklist: choice,
  enum: choice,
  array: ({ item }, walk) => ({ type: "array", items: walk.to(item as Valibot) }),
  tuple: ({ type, items = [], rest }, walk) => walk.tuple(items, rest ?? type !== "strict_tuple"),
  object: ({ type, entries = {}, rest }, walk) =>
    walk.object(
      entries,
      (schema) => isRequired(schema, walk.direction),
      rest ?? (type === "strict_object" ? false : undefined),
    ),
  record: ({ key, value }, walk) => walk.record(key as Valibot, value as Valibot),
  union,
  variant: union,
  intersect: ({ options }, walk) => ({ allOf: walk.all(options as Valibot[]) }),
  lazy: ({ getter }, walk) => walk.to((getter as (input: unknown) => Valibot)(undefined)),
};

function isRequired(schema: Valibot, direction: SchemaDirection): boolean {
  const mayBeAbsent = /^(optional|exact_optional|nullish|undefinedable)$/.test(schema.type);
  return !mayBeAbsent || (direction === "output" && schema.default !== undefined);
}

/** Transformations that leave the type as it is. */
const sameType = /^(brand|flavor|readonly|trim.*|to_(lower|upper)_case|normalize|to_(min|max)_value)$/;

/** Describes a pipe: its input by the first schema up to a transformation, its output by the last schema, if nothing follows. */
function pipeline(
  [first, ...steps]: readonly [Valibot, ...Valibot[]],
  walk: SchemaWalk<Valibot>,
): MutableJsonSchema {
  const isInput = walk.direction === "input";
  let json = walk.to(first);
  let isChanged = false;
  for (const step of steps) {
    if (step.kind === "metadata") Object.assign(json, metadata(step));
    else if (step.kind === "transformation") isChanged ||= !sameType.test(step.type);
    else if (step.kind === "schema" && isInput) isChanged = true;
    else if (step.kind === "schema") [json, isChanged] = [walk.to(step), false];
    else if (!isChanged) addCheck(json, { ...toCheck(step), isExclusive: /^[gl]t_/.test(step.type) });
  }
  return isChanged && !isInput ? walk.refuse("transform") : json;
}

function toCheck({ type, requirement }: Valibot): { name: string; value: unknown; pattern: unknown } {
  return { name: type, value: requirement, pattern: requirement };
}

function metadata(step: Valibot): MutableJsonSchema {
  const { type, metadata } = step;
  return metadata ?? { [type]: (step as unknown as MutableJsonSchema)[type] };
}

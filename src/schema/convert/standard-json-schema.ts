import { SchemaConversionError } from "../error.ts";
import type { MutableJsonSchema } from "../json-schema.ts";
import type { StandardConverter, StandardSchema } from "../standard-schema.ts";
import { unrepresentableMark } from "./unrepresentable.ts";
import type { SchemaDirection } from "./walk.ts";
import type { Zod } from "./zod.ts";

/** Converts through the schema's own library; undefined if the library can't. */
export function fromStandardJsonSchema(
  schema: StandardSchema,
  direction: SchemaDirection,
): MutableJsonSchema | undefined {
  const { jsonSchema, vendor } = schema["~standard"] as StandardConverter;
  if (!jsonSchema) return undefined;
  const libraryOptions = vendor === "zod" ? zodOptions : vendor === "arktype" ? arktypeOptions : undefined;
  try {
    return jsonSchema[direction]({ target: "draft-2020-12", libraryOptions });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SchemaConversionError(`${vendor} can't convert the schema: ${reason}`, { cause });
  }
}

const withoutJson = /^(bigint|symbol|undefined|void|date|nan|map|set|custom|function|transform|file)$/;

/** Libraries report that a part has no JSON Schema, but not where it is: it is marked, and found by the mark. */
const zodOptions = {
  unrepresentable: "any",
  override({ zodSchema, jsonSchema }: { zodSchema: Zod; jsonSchema: MutableJsonSchema }): void {
    const { type, catchall, values } = zodSchema._zod?.def ?? {};
    const kinds = type === "literal" ? (values as unknown[]).map((value) => typeof value) : [String(type)];
    const odd = kinds.find((kind) => withoutJson.test(kind));
    if (odd) jsonSchema[unrepresentableMark] = odd;
    // zod describes the output of every object as closed, because it strips what it does not know.
    if (type === "object" && !catchall) delete jsonSchema.additionalProperties;
  },
};

interface ArkContext {
  readonly code: string;
  readonly base: MutableJsonSchema;
  readonly domain?: string;
  readonly proto?: { readonly name: string };
}

const mark = ({ code, base, domain, proto }: ArkContext): MutableJsonSchema => ({
  ...base,
  [unrepresentableMark]: domain ?? proto?.name ?? code,
});
const arktypeOptions = { fallback: { domain: mark, proto: mark, date: mark, unit: mark, symbolKey: mark } };

import { SchemaConversionError } from "../error.ts";
import type { MutableJsonSchema } from "../json-schema.ts";
import type { StandardSchema } from "../standard-schema.ts";
import { fromStandardJsonSchema } from "./standard-json-schema.ts";
import { fromValibot, isValibot } from "./valibot.ts";
import type { SchemaDirection } from "./walk.ts";
import { fromZod, isZod } from "./zod.ts";

/** The JSON Schema of a library's schema, as the library or our walker puts it. */
export function toJsonSchema(schema: StandardSchema, direction: SchemaDirection): MutableJsonSchema {
  const json = fromStandardJsonSchema(schema, direction);
  if (json) return json;
  if (isValibot(schema)) return fromValibot(schema, direction);
  if (isZod(schema)) return fromZod(schema, direction);
  throw new SchemaConversionError(
    `Schemas of "${schema["~standard"].vendor}" have no JSON Schema: use a version with Standard JSON Schema, or write JSON Schema.`,
  );
}

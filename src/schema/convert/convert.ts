import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import { SchemaConversionError } from "../error.ts";
import { isPlainObject } from "../frozen-schema.ts";
import type { MutableJsonSchema } from "../json-schema.ts";
import { isStandardSchema, type StandardConverter, type StandardSchema } from "../standard-schema.ts";
import { fromStandardJsonSchema } from "./standard-json-schema.ts";
import type { SchemaDirection } from "./walk.ts";
import type { Zod } from "./zod.ts";

type Convert = (schema: never, direction: SchemaDirection) => MutableJsonSchema;
type Library = "valibot" | "zod";

/** The converters for libraries that have no JSON Schema of their own; most servers load neither. */
const loaders: Readonly<Record<Library, () => Promise<Convert>>> = {
  valibot: async () => (await import("./valibot.ts")).fromValibot,
  zod: async () => (await import("./zod.ts")).fromZod,
};
const loaded = new Map<Library, Convert>();

/** The JSON Schema of a library's schema, made by the library itself or by our converter, which must be loaded. */
export function toJsonSchema(schema: StandardSchema, direction: SchemaDirection): MutableJsonSchema {
  const json = fromStandardJsonSchema(schema, direction);
  if (json) return json;
  const library = libraryOf(schema);
  const convert = library && loaded.get(library);
  if (convert) return convert(schema as never, direction);
  const { vendor } = schema["~standard"];
  throw new SchemaConversionError(
    library
      ? `The converter for schemas of "${vendor}" is not loaded yet.`
      : `Schemas of "${vendor}" have no JSON Schema: use a version with Standard JSON Schema, or write JSON Schema.`,
  );
}

/**
 * Runs `compile`, which compiles these schemas: at once, or after the converters that they need have been loaded.
 *
 * Only the first schema of a library in a process has to wait. A promise that nobody awaits rejects silently.
 */
export function withConverters<T>(schemas: readonly unknown[], compile: () => T): MaybePromise<T> {
  const missing = new Set(schemas.flatMap(librariesOf).filter((library) => !loaded.has(library)));
  if (missing.size === 0) return compile();
  const compiled = Promise.all([...missing].map(load)).then(compile);
  compiled.catch(() => {});
  return compiled;
}

async function load(library: Library): Promise<void> {
  loaded.set(library, await loaders[library]());
}

/** The libraries whose converters a schema needs: its own, or those of the members of a shape. */
function librariesOf(schema: unknown): Library[] {
  const members = isPlainObject(schema) ? Object.values(schema) : [];
  return [schema, ...members].filter(isStandardSchema).flatMap((member) => {
    const { jsonSchema } = member["~standard"] as StandardConverter;
    return jsonSchema ? [] : (libraryOf(member) ?? []);
  });
}

/** The library by the looks of its schema objects: zod mini and old versions of zod 4 are converted, too. */
function libraryOf(schema: StandardSchema): Library | undefined {
  const { kind, _zod, _def } = schema as Zod & { readonly kind?: unknown };
  if (kind === "schema") return "valibot";
  const { type, typeName = type } = _zod?.def ?? _def ?? {};
  return typeof typeName === "string" ? "zod" : undefined;
}

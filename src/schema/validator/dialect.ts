import { SchemaRefusedError } from "../error.ts";
import type { JsonSchema } from "../json-schema.ts";

export interface Dialect {
  /** `items` may be a list, followed by `additionalItems`. */
  readonly itemsByPosition: boolean;
  /** Keywords beside `$ref` are ignored. */
  readonly refStandsAlone: boolean;
}

const supported = /^https?:\/\/json-schema\.org\/(draft\/2020-12|draft\/2019-09|draft-0[67])\/schema#?$/;

/**
 * The dialect of a schema. Without `$schema` it is 2020-12; 2019-09, draft 7 and draft 6 are understood too.
 *
 * basic#schema-dialect (2025-11-25)
 */
export function dialectOf({ $schema = "https://json-schema.org/draft/2020-12/schema" }: JsonSchema): Dialect {
  const [, name] = (typeof $schema === "string" && supported.exec($schema)) || [];
  if (name) return { itemsByPosition: name !== "draft/2020-12", refStandsAlone: name.startsWith("draft-") };
  const quoted = JSON.stringify($schema)?.slice(0, 200);
  throw new SchemaRefusedError("unsupported-dialect", `The dialect ${quoted} is not supported.`);
}

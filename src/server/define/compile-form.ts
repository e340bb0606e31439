import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import { type CompiledSchema, compileSchema, type SchemaInput } from "../../schema/compile.ts";
import { withConverters } from "../../schema/convert/convert.ts";
import { assertFormSchema } from "../../schema/form-schema.ts";
import { rethrowAsRegistrationError } from "./registration-error.ts";

const compiled = new WeakMap<object, MaybePromise<CompiledSchema>>();

/** Compiles the schema of a form, once for each schema value. */
export function compileForm(schema: SchemaInput): MaybePromise<CompiledSchema> {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const made = withConverters([schema], () => compile(schema));
  compiled.set(schema, made);
  return made;
}

function compile(schema: SchemaInput): CompiledSchema {
  return rethrowAsRegistrationError("A form can't be asked with this schema", () => {
    const made = compileSchema(schema, "input");
    assertFormSchema(made.jsonSchema);
    return made;
  });
}

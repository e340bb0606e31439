import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import { type CompiledSchema, compileSchema, type SchemaInput } from "../../schema/compile.ts";
import { withConverters } from "../../schema/convert/convert.ts";
import { assertFormSchema } from "../../schema/form-schema.ts";
import { rethrowAsRegistrationError } from "./registration-error.ts";

const compiled = new WeakMap<object, MaybePromise<CompiledSchema>>();

/**
 * Checks the schema of a form when the program starts and not when the form is first asked. A form is a
 * flat object of strings, numbers, booleans and choices.
 *
 * The first schemas of zod 3 or valibot in a process are checked when they are asked, as their converter is
 * still being loaded.
 */
export function form<S extends SchemaInput>(schema: S): S {
  void compileForm(schema);
  return schema;
}

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

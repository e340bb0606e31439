import { type CompiledSchema, compileSchema, type SchemaInput } from "../../schema/compile.ts";
import { assertFormSchema } from "../../schema/form-schema.ts";
import { rethrowAsRegistrationError } from "./registration-error.ts";

const compiled = new WeakMap<object, CompiledSchema>();

/**
 * Checks the schema of a form when the program starts and not when the form is first asked. A form is a
 * flat object of strings, numbers, booleans and choices.
 */
export function form<S extends SchemaInput>(schema: S): S {
  compileForm(schema);
  return schema;
}

/** Compiles the schema of a form, once for each schema value. */
export function compileForm(schema: SchemaInput): CompiledSchema {
  const known = compiled.get(schema);
  if (known) return known;
  const made = compile(schema);
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

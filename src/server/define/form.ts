import type { SchemaInput } from "../../schema/compile.ts";
import { compileForm } from "./compile-form.ts";

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

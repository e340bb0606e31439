import { SchemaRefusedError } from "../error.ts";
import { isObject } from "../json-schema.ts";
import { type Compile, type Keywords, textOf } from "./keyword.ts";
import type { Check } from "./run.ts";

const staticRef: Compile = (schema, compiling) =>
  compiling.reference(compiling.document.resolve(textOf(schema, "$ref"), schema), schema);

const dynamicRef: Compile = (schema, compiling) => {
  const { document } = compiling;
  const ref = textOf(schema, "$dynamicRef");
  const target = document.resolve(ref, schema);
  const name = isObject(target) ? target.$dynamicAnchor : undefined;
  if (typeof name !== "string" || !ref.endsWith(`#${name}`)) return compiling.reference(target, schema);
  const checks = new Map<object, Check>();
  for (const resource of document.resources()) {
    const anchor = resource.dynamicAnchors.get(name);
    // Which one applies is known only at run time, so a loop is left to the budget.
    if (anchor) checks.set(resource, compiling.reference(anchor));
  }
  return (value, run) => {
    run.spend(run.scope.length >> 2);
    const outermost = run.scope.find((resource) => checks.has(resource)) as object;
    return (checks.get(outermost) as Check)(value, run);
  };
};

/** References, which never leave the document. */
export const REFERENCE: Keywords = {
  $ref: staticRef,
  $dynamicRef: dynamicRef,
  $recursiveRef: () => {
    throw new SchemaRefusedError("unsupported-dialect", "$recursiveRef is not supported.");
  },
};

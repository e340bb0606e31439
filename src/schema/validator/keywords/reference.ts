import { isObject } from "../../../lib/json.ts";
import { SchemaRefusedError } from "../../error.ts";
import { type CompileKeyword, type KeywordTable, stringAt } from "../keyword.ts";
import type { SchemaCheck } from "../run.ts";

const staticRef: CompileKeyword = (schema, compiling) =>
  compiling.reference(compiling.document.resolve(stringAt(schema, "$ref"), schema), schema);

const dynamicRef: CompileKeyword = (schema, compiling) => {
  const { document } = compiling;
  const ref = stringAt(schema, "$dynamicRef");
  const target = document.resolve(ref, schema);
  const name = isObject(target) ? target.$dynamicAnchor : undefined;
  if (typeof name !== "string" || !ref.endsWith(`#${name}`)) return compiling.reference(target, schema);
  const checks = new Map<object, SchemaCheck>();
  for (const resource of document.resources()) {
    const anchor = resource.dynamicAnchors.get(name);
    // Only a run shows which one applies, so a loop is left to the budget.
    if (anchor) checks.set(resource, compiling.reference(anchor));
  }
  return (value, run) => {
    run.spend(run.scope.length >> 2);
    const outermost = run.scope.find((resource) => checks.has(resource)) as object;
    return (checks.get(outermost) as SchemaCheck)(value, run);
  };
};

/** References, which never leave the document. */
export const referenceKeywords: KeywordTable = {
  $ref: staticRef,
  $dynamicRef: dynamicRef,
  $recursiveRef: () => {
    throw new SchemaRefusedError("unsupported-dialect", "$recursiveRef is not supported.");
  },
};

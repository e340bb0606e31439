import type { SchemaResource } from "../document.ts";
import { type CompileKeyword, type KeywordTable, stringAt } from "../keyword.ts";
import type { SchemaCheck } from "../run.ts";

const staticRef: CompileKeyword = (schema, compiling) =>
  compiling.reference(compiling.document.resolve(stringAt(schema, "$ref"), schema));

const dynamicRef: CompileKeyword = (schema, compiling) => {
  const target = compiling.document.resolveDynamic(stringAt(schema, "$dynamicRef"), schema);
  if (!(target instanceof Map)) return compiling.reference(target);
  const checks = new Map<object, SchemaCheck>();
  for (const [resource, anchor] of target as Map<SchemaResource, unknown>)
    checks.set(resource, compiling.reference(anchor));
  return (value, run) => {
    run.spend(run.scope.length >> 2);
    const outermost = run.scope.find((resource) => checks.has(resource)) as object;
    return (checks.get(outermost) as SchemaCheck)(value, run);
  };
};

/** References, which never leave the document. basic#ref-resolution (2026-07-28) */
export const referenceKeywords: KeywordTable = { $ref: staticRef, $dynamicRef: dynamicRef };

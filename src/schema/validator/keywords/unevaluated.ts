import { isObject } from "../../../lib/json.ts";
import type { CompileKeyword, KeywordTable } from "../keyword.ts";
import { keysOf } from "./object.ts";

const unevaluatedItems: CompileKeyword = (schema, compiling) => {
  const check = compiling.child(schema.unevaluatedItems);
  return (value, run) => {
    if (!Array.isArray(value)) return true;
    const { evaluated: seen } = run;
    run.spend(value.length >> 2);
    let ok = true;
    for (let index = seen?.items ?? 0; index < value.length; index++) {
      if (!seen?.matched.has(index)) ok = run.descend(check, value[index], index) && ok;
    }
    if (seen) seen.items = value.length;
    return ok;
  };
};

const unevaluatedProperties: CompileKeyword = (schema, compiling) => {
  const check = compiling.child(schema.unevaluatedProperties);
  return (value, run) => {
    if (!isObject(value)) return true;
    const { evaluated: seen } = run;
    let ok = true;
    for (const key of keysOf(value, run)) {
      if (!seen?.allKeys && !seen?.keys.has(key)) ok = run.descend(check, value[key], key) && ok;
    }
    if (seen) seen.allKeys = true;
    return ok;
  };
};

/** Keywords about what the others left over; they run last. */
export const unevaluatedKeywords: KeywordTable = { unevaluatedItems, unevaluatedProperties };

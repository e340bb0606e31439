import { arrayAt, type CompileKeyword, type KeywordTable, numberAt } from "../keyword.ts";
import type { SchemaCheck, ValidationRun } from "../run.ts";

function onArray(check: (items: readonly unknown[], run: ValidationRun) => boolean): SchemaCheck {
  return (value, run) => !Array.isArray(value) || check(value, run);
}

const items: CompileKeyword = (schema, compiling) => {
  const byPosition = compiling.document.dialect.itemsByPosition;
  const inList = byPosition && Array.isArray(schema.items);
  const first = inList ? arrayAt(schema, "items") : byPosition ? [] : arrayAt(schema, "prefixItems");
  const prefix = first.map((item) => compiling.child(item));
  const other = inList ? schema.additionalItems : schema.items;
  const rest = other === undefined ? undefined : compiling.child(other);
  return onArray((items, run) => {
    const end = rest ? items.length : Math.min(prefix.length, items.length);
    if (run.evaluated) run.evaluated.items = Math.max(run.evaluated.items, end);
    let ok = true;
    for (let index = 0; index < end; index++) {
      const check = prefix[index] ?? rest;
      if (!check || run.descend(check, items[index], index)) continue;
      ok = false;
      if (run.hasEnoughIssues) return false;
    }
    return ok;
  });
};

const uniqueItems: CompileKeyword = (schema) =>
  onArray((items, run) => {
    const known = new Map<string, number>();
    for (const [index, item] of schema.uniqueItems === true ? items.entries() : []) {
      const text = run.toCanonicalText(item);
      const twin = known.get(text);
      if (twin !== undefined) return run.fail(`must not repeat items: ${twin} and ${index} are equal`);
      known.set(text, index);
    }
    return true;
  });

const contains: CompileKeyword = (schema, compiling) => {
  const check = compiling.child(schema.contains);
  const min = schema.minContains === undefined ? 1 : numberAt(schema, "minContains");
  const max = schema.maxContains === undefined ? Number.POSITIVE_INFINITY : numberAt(schema, "maxContains");
  return onArray((items, run) => {
    let count = 0;
    for (const [index, item] of items.entries()) {
      if (!run.ask(() => run.descend(check, item, index))) continue;
      count++;
      run.evaluated?.matched.add(index);
    }
    if (count < min) return run.fail(`must contain at least ${min} matching items`);
    return count <= max || run.fail(`must contain at most ${max} matching items`);
  });
};

export const arrayKeywords: KeywordTable = { items, prefixItems: items, uniqueItems, contains };

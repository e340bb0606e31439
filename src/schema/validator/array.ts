import { canonical } from "./canonical.ts";
import { type Compile, type Keywords, listOf, numberOf } from "./keyword.ts";
import type { Check, Run } from "./run.ts";

function onArray(check: (items: readonly unknown[], run: Run) => boolean): Check {
  return (value, run) => !Array.isArray(value) || check(value, run);
}

const items: Compile = (schema, compiling) => {
  const byPosition = compiling.document.dialect.itemsByPosition;
  const inList = byPosition && Array.isArray(schema.items);
  const first = inList ? listOf(schema, "items") : byPosition ? [] : listOf(schema, "prefixItems");
  const prefix = first.map((item) => compiling.child(item));
  const other = inList ? schema.additionalItems : schema.items;
  const rest = other === undefined ? undefined : compiling.child(other);
  return onArray((items, run) => {
    const end = rest ? items.length : Math.min(prefix.length, items.length);
    if (run.seen) run.seen.items = Math.max(run.seen.items, end);
    let ok = true;
    for (let index = 0; index < end; index++) {
      const check = prefix[index] ?? rest;
      if (!check || run.descend(check, items[index], index)) continue;
      ok = false;
      if (!run.issues) return false;
    }
    return ok;
  });
};

const uniqueItems: Compile = (schema) =>
  onArray((items, run) => {
    const known = new Map<string, number>();
    for (const [index, item] of schema.uniqueItems === true ? items.entries() : []) {
      const text = canonical(item, run);
      const twin = known.get(text);
      if (twin !== undefined) return run.fail(`must not repeat items: ${twin} and ${index} are equal`);
      known.set(text, index);
    }
    return true;
  });

const contains: Compile = (schema, compiling) => {
  const check = compiling.child(schema.contains);
  const min = schema.minContains === undefined ? 1 : numberOf(schema, "minContains");
  const max = schema.maxContains === undefined ? Number.POSITIVE_INFINITY : numberOf(schema, "maxContains");
  return onArray((items, run) => {
    let count = 0;
    for (const [index, item] of items.entries()) {
      if (!run.ask(() => run.descend(check, item, index))) continue;
      count++;
      run.seen?.matched.add(index);
    }
    if (count < min) return run.fail(`must contain at least ${min} matching items`);
    return count <= max || run.fail(`must contain at most ${max} matching items`);
  });
};

export const ARRAY: Keywords = { items, prefixItems: items, uniqueItems, contains };

import { isObject } from "../../../lib/json.ts";
import { type CompileKeyword, entriesAt, type KeywordTable, namesAt } from "../keyword.ts";
import type { SchemaCheck, ValidationRun } from "../run.ts";

type Members = Readonly<Record<string, unknown>>;
type ObjectCheck = (members: Members, run: ValidationRun) => boolean;

/** A member that is undefined is not there: it would not survive the wire. */
function has(members: Members, key: string): boolean {
  return Object.hasOwn(members, key) && members[key] !== undefined;
}

export function keysOf(members: Members, run: ValidationRun): string[] {
  const keys = Object.keys(members);
  run.spend(keys.length >> 2);
  return keys.filter((key) => members[key] !== undefined);
}

function onObject(check: ObjectCheck): SchemaCheck {
  return (value, run) => !isObject(value) || check(value, run);
}

const required: CompileKeyword = (schema) => onObject(requireAll(namesAt(schema, "required")));

function requireAll(names: readonly string[]): ObjectCheck {
  return (members, run) => {
    run.spend(names.length >> 2);
    let ok = true;
    for (const name of names) {
      if (has(members, name)) continue;
      if (!run.issues) return false;
      ok = run.descend((_, run) => run.fail("is required"), undefined, name);
    }
    return ok;
  };
}

const properties: CompileKeyword = (schema, compiling) => {
  const named = new Map(
    entriesAt(schema, "properties").map(([key, member]) => [key, compiling.child(member)]),
  );
  const patterns = entriesAt(schema, "patternProperties").map(
    ([source, member]) => [compiling.document.pattern(source), compiling.child(member)] as const,
  );
  const other = schema.additionalProperties;
  const rest = other === undefined ? undefined : compiling.child(other);
  return onObject((members, run) => {
    let ok = true;
    for (const key of keysOf(members, run)) {
      const checks = patterns.filter(([matches]) => matches(key, run)).map(([, check]) => check);
      const own = named.get(key) ?? (checks.length ? undefined : rest);
      if (own) checks.push(own);
      if (checks.length) run.evaluated?.keys.add(key);
      for (const check of checks) ok = run.descend(check, members[key], key) && ok;
      if (!ok && run.hasEnoughIssues) return false;
    }
    return ok;
  });
};

const propertyNames: CompileKeyword = (schema, compiling) => {
  const check = compiling.child(schema.propertyNames);
  return onObject((members, run) => {
    for (const key of keysOf(members, run)) {
      if (run.ask(() => run.descend(check, key, key))) continue;
      return run.descend((_, run) => run.fail("is not an allowed name"), key, key);
    }
    return true;
  });
};

const dependencies: CompileKeyword = (schema, compiling, keyword) => {
  const rules = entriesAt(schema, keyword).map(([key, needed]): [string, ObjectCheck] => {
    if (!Array.isArray(needed)) return [key, compiling.child(needed)];
    return [key, requireAll(namesAt({ [key]: needed }, key))];
  });
  return onObject((members, run) => {
    let ok = true;
    run.spend(rules.length >> 2);
    for (const [key, check] of rules) if (has(members, key)) ok = check(members, run) && ok;
    return ok;
  });
};

export const objectKeywords: KeywordTable = {
  required,
  properties,
  patternProperties: properties,
  additionalProperties: properties,
  propertyNames,
  dependencies,
  dependentRequired: dependencies,
  dependentSchemas: dependencies,
};

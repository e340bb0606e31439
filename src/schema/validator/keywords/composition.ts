import type { JsonSchema } from "../../json-schema.ts";
import { jsonTypeOf } from "../../json-schema.ts";
import { arrayAt, type CompileKeyword, type KeywordContext, type KeywordTable } from "../keyword.ts";
import type { FoundIssue, SchemaCheck, ValidationRun } from "../run.ts";

function parts(schema: JsonSchema, compiling: KeywordContext, keyword: string): SchemaCheck[] {
  return arrayAt(schema, keyword).map((part) => compiling.child(part));
}

function all(checks: readonly SchemaCheck[]): SchemaCheck {
  return (value, run) => {
    let ok = true;
    for (const check of checks) {
      ok = check(value, run) && ok;
      if (!ok && !run.issues) return false;
    }
    return ok;
  };
}

function some(checks: readonly SchemaCheck[], most: number): SchemaCheck {
  const count = (value: unknown, run: ValidationRun): number => {
    let passed = 0;
    for (const check of checks) {
      if (check(value, run)) passed++;
      // The first match decides, unless `unevaluated…` keywords need what every matching alternative evaluated.
      if (passed > most || (passed && most > 1 && !run.evaluated)) break;
    }
    return passed;
  };
  return (value, run) => {
    // Reasons why an alternative does not match are dear, and wanted only if none does.
    const { issues } = run;
    run.issues = undefined;
    const passed = count(value, run);
    run.issues = issues;
    if (passed > most) return run.fail("matches more than one of the alternatives, and may match only one");
    if (passed > 0) return true;
    return issues !== undefined && explain(value, tryAll(checks, value, run), run);
  };
}

/** The reasons why each alternative does not match. */
function tryAll(checks: readonly SchemaCheck[], value: unknown, run: ValidationRun): FoundIssue[][] {
  const { issues } = run;
  const tries = checks.map((check) => {
    const found: FoundIssue[] = [];
    run.issues = found;
    check(value, run);
    return found;
  });
  run.issues = issues;
  return tries;
}

/** Reports the alternative that was most likely meant. */
function explain(value: unknown, tries: readonly FoundIssue[][], run: ValidationRun): false {
  if (!run.issues) return false;
  const here = run.path.length;
  const types = tries.map(([first]) => (first?.depth === here ? first.expected : undefined));
  if (types.length && types.every(Boolean)) {
    const expected = [...new Set(types)].join(" or ");
    return run.fail(`expected ${expected}, got ${jsonTypeOf(value)}`, 1, expected);
  }
  let best: FoundIssue[] | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const found of tries) {
    const weight = found.reduce((sum, issue) => sum + (issue.depth > here ? issue.weight : Number.NaN), 0);
    if (weight < least) [best, least] = [found, weight];
  }
  if (!best) return run.fail(`matches none of the ${tries.length} alternatives`, 100);
  run.issues.push(...best);
  return false;
}

function negation(check: SchemaCheck): SchemaCheck {
  return (value, run) => {
    const { evaluated: seen } = run;
    run.evaluated = undefined;
    const matches = run.ask(() => check(value, run));
    run.evaluated = seen;
    return !matches || run.fail("matches what it must not match");
  };
}

const conditional: CompileKeyword = (schema, compiling) => {
  const test = compiling.child(schema.if);
  const yes = compiling.child(schema.then ?? true);
  const no = compiling.child(schema.else ?? true);
  return (value, run) => (run.ask(() => test(value, run)) ? yes : no)(value, run);
};

/** Keywords that apply other schemas to the same value. */
export const compositionKeywords: KeywordTable = {
  allOf: (...from) => all(parts(...from)),
  anyOf: (...from) => some(parts(...from), Number.POSITIVE_INFINITY),
  oneOf: (...from) => some(parts(...from), 1),
  not: (schema, compiling) => negation(compiling.child(schema.not)),
  if: conditional,
};

import { canonicalJson } from "../../../lib/encoding/canonical-json.ts";
import { isObject } from "../../../lib/json.ts";
import { jsonTypeOf } from "../../json-schema.ts";
import { arrayAt, type CompileKeyword, type KeywordTable, malformed, stringAt } from "../keyword.ts";
import type { SchemaCheck } from "../run.ts";

const typeTests = new Map<unknown, (value: unknown) => boolean>([
  ["string", (value) => typeof value === "string"],
  ["number", Number.isFinite],
  ["integer", Number.isInteger],
  ["boolean", (value) => typeof value === "boolean"],
  ["null", (value) => value === null],
  ["array", Array.isArray],
  ["object", isObject],
]);

const type: CompileKeyword = (schema) => {
  const names: readonly unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  const tests = names.map((name) => {
    const test = typeTests.get(name);
    if (!test) throw malformed("type", `one of ${[...typeTests.keys()].join(", ")}`);
    return test;
  });
  const [first = () => false] = tests;
  const test = tests.length > 1 ? (value: unknown) => tests.some((test) => test(value)) : first;
  const expected = names.join(" or ");
  return (value, run) => {
    if (test(value)) return true;
    const got = typeof value === "number" && names.includes("integer") ? value : jsonTypeOf(value);
    return run.fail(`expected ${expected}, got ${got}`, 1, expected);
  };
};

function choice(options: readonly unknown[]): SchemaCheck {
  const simple = new Set(options.filter((option) => typeof option !== "object" || option === null));
  const deep = new Set(
    options.filter((option) => !simple.has(option)).map((option) => canonicalJson(option)),
  );
  const names = options.slice(0, 10).map((option) => canonicalJson(option).slice(0, 60));
  if (options.length > 10) names.push("...");
  const message = `must be ${options.length > 1 ? "one of " : ""}${names.join(", ")}`;
  return (value, run) => {
    if (simple.has(value)) return true;
    if (deep.size && typeof value === "object" && value && deep.has(run.toCanonicalText(value))) return true;
    // A wrong constant most often means that another alternative of a union was meant.
    return run.fail(message, 100);
  };
}

const pattern: CompileKeyword = (schema, compiling) => {
  const source = stringAt(schema, "pattern");
  const matches = compiling.document.pattern(source);
  return (value, run) =>
    typeof value !== "string" ||
    matches(value, run) ||
    run.fail(`must match the pattern ${source.slice(0, 200)}`);
};

/** Keywords about the value alone. */
export const valueKeywords: KeywordTable = {
  type,
  const: (schema) => choice([schema.const]),
  enum: (schema) => choice(arrayAt(schema, "enum")),
  pattern,
};

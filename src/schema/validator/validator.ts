import { maxIssues, type ValidationResult } from "../../lib/text/issue.ts";
import { SchemaRefusedError } from "../error.ts";
import type { JsonSchema } from "../json-schema.ts";
import { defaultBudgets, type SchemaBudget } from "./budget.ts";
import { Compiler } from "./compiler.ts";
import { readDocument } from "./document-check.ts";
import { type CompilePattern, nativePattern } from "./pattern.ts";
import { BudgetExceededError, type SchemaCheck, ValidationRun } from "./run.ts";

export interface ValidatorOptions {
  /**
   * The author of the schema. "own": this program's author, so patterns run as native regular expressions.
   * "peer": the other side of the wire, so the schema is capped, and a pattern in it needs
   * `compilePeerValidator`, which loads the linear-time engine.
   */
  readonly trust: "own" | "peer";
  readonly budget?: Partial<SchemaBudget>;
}

export interface Validator {
  /** The value is returned as it came: JSON Schema changes nothing. */
  validate(value: unknown): ValidationResult<unknown>;
}

/** Compiles a JSON Schema; throws `SchemaRefusedError` for one that can't or must not be used. */
export function compileValidator(schema: JsonSchema | boolean, options: ValidatorOptions): Validator {
  const limits = { ...defaultBudgets[options.trust], ...options.budget };
  return compileWith(options.trust === "own" ? nativePattern : noPattern, schema, limits);
}

export function compileWith(
  patterns: CompilePattern,
  schema: JsonSchema | boolean,
  limits: SchemaBudget,
): Validator {
  const check = new Compiler(readDocument(schema, limits, patterns)).compile();
  return { validate: (value) => run(check, value, limits) };
}

const noPattern: CompilePattern = () => {
  throw new SchemaRefusedError(
    "pattern-engine-not-loaded",
    "A peer's schema with patterns needs compilePeerValidator.",
  );
};

function run(check: SchemaCheck, value: unknown, limits: SchemaBudget): ValidationResult<unknown> {
  const run = new ValidationRun(limits);
  try {
    if (check(value, run)) return { ok: true, value };
  } catch (error) {
    if (!(error instanceof BudgetExceededError)) throw error;
    return { ok: false, issues: [{ path: "", message: error.message }] };
  }
  const issues = (run.issues ?? []).slice(0, maxIssues).map(({ path, message }) => ({ path, message }));
  return { ok: false, issues };
}

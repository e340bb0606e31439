import { SchemaRefusedError } from "../error.ts";
import { type Checked, MAX_ISSUES } from "../issue.ts";
import { isObject, type JsonSchema } from "../json-schema.ts";
import { Compiler } from "./compiler.ts";
import { DEFAULT_LIMITS, type SchemaLimits } from "./limits.ts";
import { assertWithinLimits } from "./measure.ts";
import { type CompilePattern, nativePattern } from "./pattern.ts";
import { type Check, Exhausted, Run } from "./run.ts";

export interface ValidatorOptions {
  /**
   * Who wrote the schema. "own": this program's author, so patterns run as native regular expressions.
   * "peer": the other side of the wire, so the schema is capped, and a pattern in it needs
   * `compilePeerValidator`, which loads the linear-time engine.
   */
  readonly trust: "own" | "peer";
  readonly limits?: Partial<SchemaLimits>;
}

export interface Validator {
  /** The value is returned as it came: JSON Schema changes nothing. */
  validate(value: unknown): Checked<unknown>;
}

/** Compiles a JSON Schema; throws `SchemaRefusedError` for one that can't or must not be used. */
export function compileValidator(schema: JsonSchema | boolean, options: ValidatorOptions): Validator {
  const limits = { ...DEFAULT_LIMITS[options.trust], ...options.limits };
  return compileWith(options.trust === "own" ? nativePattern : noPattern, schema, limits);
}

export function compileWith(
  patterns: CompilePattern,
  schema: JsonSchema | boolean,
  limits: SchemaLimits,
): Validator {
  const root = typeof schema === "boolean" ? (schema ? {} : { not: {} }) : schema;
  if (!isObject(root)) throw new SchemaRefusedError("malformed", "A schema must be an object or a boolean.");
  assertWithinLimits(root, limits);
  const check = new Compiler(root, limits, patterns).compile(root);
  return { validate: (value) => run(check, value, limits) };
}

const noPattern: CompilePattern = () => {
  throw new SchemaRefusedError(
    "pattern-engine-not-loaded",
    "A peer's schema with patterns needs compilePeerValidator.",
  );
};

function run(check: Check, value: unknown, limits: SchemaLimits): Checked<unknown> {
  const run = new Run(limits);
  try {
    if (check(value, run)) return { ok: true, value };
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error;
    return { ok: false, issues: [{ path: "", message: error.message }] };
  }
  const issues = (run.issues ?? []).slice(0, MAX_ISSUES).map(({ path, message }) => ({ path, message }));
  return { ok: false, issues };
}

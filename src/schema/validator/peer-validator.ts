import { SchemaRefusedError } from "../error.ts";
import type { JsonSchema } from "../json-schema.ts";
import { defaultBudgets, type SchemaBudget } from "./budget.ts";
import { createLinearPatterns } from "./linear-pattern.ts";
import { compileValidator, compileWith, type Validator } from "./validator.ts";

/** Compiles a peer's schema, after loading the linear-time pattern engine if the schema has a pattern. */
export async function compilePeerValidator(
  schema: JsonSchema | boolean,
  limits: Partial<SchemaBudget> = {},
): Promise<Validator> {
  try {
    return compileValidator(schema, { trust: "peer", budget: limits });
  } catch (error) {
    if (!(error instanceof SchemaRefusedError && error.reason === "pattern-engine-not-loaded")) throw error;
  }
  const { RE2JS } = await import("re2js");
  return compileWith(createLinearPatterns(RE2JS), schema, { ...defaultBudgets.peer, ...limits });
}

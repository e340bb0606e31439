import { SchemaRefusedError } from "../error.ts";
import type { SchemaBudget } from "./budget.ts";

/** Refuses a schema by size and nesting before anything else looks at it; stops at the first cap reached. */
export function assertWithinBudget(schema: unknown, limits: SchemaBudget): void {
  let bytes = 0;
  const visit = (value: unknown, depth: number): void => {
    // A subschema sits two JSON levels below its parent ("properties" and the name), its data a little deeper.
    if (depth > limits.maxDepth * 2 + 4) {
      throw new SchemaRefusedError("too-deep", `The schema nests deeper than ${limits.maxDepth} levels.`);
    }
    bytes += typeof value === "string" ? value.length + 3 : 3;
    if (typeof value === "object" && value !== null) {
      for (const key in value) {
        if (!Array.isArray(value)) bytes += key.length + 3;
        visit((value as Record<string, unknown>)[key], depth + 1);
      }
    }
    if (bytes > limits.maxBytes) {
      throw new SchemaRefusedError("too-large", `The schema is larger than ${limits.maxBytes} bytes.`);
    }
  };
  visit(schema, 0);
}

import { SchemaRefusedError } from "../error.ts";

/** Limits of a schema, and of each validation against it. basic#composition-keyword-resource-use (2026-07-28) */
export interface SchemaBudget {
  /** Size of the schema as JSON text, roughly. */
  readonly maxBytes: number;
  /** Nesting of subschemas, and of the values validated. */
  readonly maxDepth: number;
  readonly maxSubschemas: number;
  /** Work of one validation. A step takes 0.1 to 0.2 microseconds: the default keeps the event loop free. */
  readonly maxSteps: number;
}

/** A peer's schema is untrusted code; an author's own is bounded only against accidents and hostile values. */
export const defaultBudgets: { readonly own: SchemaBudget; readonly peer: SchemaBudget } = {
  own: { maxBytes: 2 ** 24, maxDepth: 128, maxSubschemas: 100_000, maxSteps: 5_000_000 },
  peer: { maxBytes: 2 ** 18, maxDepth: 64, maxSubschemas: 5_000, maxSteps: 100_000 },
};

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

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

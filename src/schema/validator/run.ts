import { type CanonicalJsonOptions, canonicalJson } from "../../lib/encoding/canonical-json.ts";
import { type Issue, maxIssues, toPath } from "../../lib/text/issue.ts";
import type { SchemaBudget } from "./budget.ts";
import type { Evaluated } from "./evaluated.ts";

/** Answers whether a value holds, and reports why not to the run. */
export type SchemaCheck = (value: unknown, run: ValidationRun) => boolean;

export interface FoundIssue extends Issue {
  /** The number of levels between the validated value and the problem. */
  readonly depth: number;
  /** The types wanted, when the type was wrong. */
  readonly expected?: string;
  /** The strength of the evidence that another alternative was meant. */
  readonly weight: number;
}

/** Thrown when the budget of a run ends; never leaves the validator. */
export class BudgetExceededError extends Error {}

// A schema node takes up to three stack frames, and a default stack holds about ten thousand.
const maxNesting = 1_000;
const maxTextDepth = 256;

/** The state of one validation. */
export class ValidationRun {
  readonly path: PropertyKey[] = [];
  /** Undefined while nobody wants to know why something fails. */
  issues: FoundIssue[] | undefined = [];
  /** The members of the present value that were evaluated; only kept for schemas that ask. */
  evaluated: Evaluated | undefined;
  /** Schema resources entered, outermost first; only kept for schemas with `$dynamicRef`. */
  readonly scope: object[] = [];
  readonly #limits: SchemaBudget;
  #steps: number;
  #nesting = 0;
  #canonical: CanonicalJsonOptions | undefined;

  constructor(limits: SchemaBudget) {
    this.#limits = limits;
    this.#steps = limits.maxSteps;
  }

  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) {
      throw new BudgetExceededError(
        `validation stopped: it exceeds the budget of ${this.#limits.maxSteps} steps`,
      );
    }
  }

  /** A text that equal values share. Objects cost more than their members: keys are sorted and copied. */
  toCanonicalText(value: unknown): string {
    this.#canonical ??= {
      onValue: (part, depth) => {
        if (depth > maxTextDepth)
          throw new BudgetExceededError("validation stopped: the value nests beyond the budget");
        this.spend(typeof part === "string" ? 1 + (part.length >> 4) : typeof part === "object" ? 8 : 1);
      },
    };
    return canonicalJson(value, this.#canonical);
  }

  enter(): void {
    this.spend(1);
    if (++this.#nesting > maxNesting)
      throw new BudgetExceededError("validation stopped: references nest beyond the budget");
  }

  leave(): void {
    this.#nesting--;
  }

  /** Applies a check to a member of the present value. */
  descend(check: SchemaCheck, value: unknown, key: PropertyKey): boolean {
    const { evaluated: seen, path } = this;
    if (path.push(key) > this.#limits.maxDepth) {
      throw new BudgetExceededError(
        `validation stopped: the value nests beyond the budget of ${this.#limits.maxDepth} levels`,
      );
    }
    this.evaluated = undefined;
    const ok = check(value, this);
    this.evaluated = seen;
    path.pop();
    return ok;
  }

  /** Applies a check without reporting what it finds. */
  ask(check: () => boolean): boolean {
    const { issues } = this;
    this.issues = undefined;
    const ok = check();
    this.issues = issues;
    return ok;
  }

  /** True once a failure is all there is to know: nobody wants the reasons, or there are enough of them. */
  get hasEnoughIssues(): boolean {
    return this.issues === undefined || this.issues.length >= maxIssues;
  }

  /** Returns false, so that a check can end with it. */
  fail(message: string, weight = 1, expected?: string): false {
    if (this.issues && this.issues.length < maxIssues) {
      const { path } = this;
      // In alternatives, reports are written and thrown away: they count as work.
      this.spend(5 + path.length);
      this.issues.push({
        path: toPath(path),
        message,
        depth: path.length,
        weight,
        ...(expected && { expected }),
      });
    }
    return false;
  }
}

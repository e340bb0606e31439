import { type Issue, MAX_ISSUES, toPath } from "../issue.ts";
import type { SchemaLimits } from "./limits.ts";
import type { Seen } from "./seen.ts";

/** Answers whether a value holds, and reports why not to the run. */
export type Check = (value: unknown, run: Run) => boolean;

export interface Found extends Issue {
  /** How far below the validated value the problem lies. */
  readonly depth: number;
  /** The types wanted, when the type was wrong. */
  readonly expected?: string;
  /** How strongly this says "another alternative was meant". */
  readonly weight: number;
}

/** Thrown when the budget of a run ends; never leaves the validator. */
export class Exhausted extends Error {}

// A schema node takes up to three stack frames, and a default stack holds about ten thousand.
const MAX_NESTING = 1_000;

/** The state of one validation. */
export class Run {
  readonly path: PropertyKey[] = [];
  /** Undefined while nobody wants to know why something fails. */
  issues: Found[] | undefined = [];
  /** Which members of the present value were evaluated; only kept for schemas that ask. */
  seen: Seen | undefined;
  /** Schema resources entered, outermost first; only kept for schemas with `$dynamicRef`. */
  readonly scope: object[] = [];
  readonly #limits: SchemaLimits;
  #steps: number;
  #nesting = 0;

  constructor(limits: SchemaLimits) {
    this.#limits = limits;
    this.#steps = limits.maxSteps;
  }

  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) {
      throw new Exhausted(`validation stopped: it exceeds the budget of ${this.#limits.maxSteps} steps`);
    }
  }

  enter(): void {
    this.spend(1);
    if (++this.#nesting > MAX_NESTING)
      throw new Exhausted("validation stopped: references nest beyond the budget");
  }

  leave(): void {
    this.#nesting--;
  }

  /** Applies a check to a member of the present value. */
  descend(check: Check, value: unknown, key: PropertyKey): boolean {
    const { seen, path } = this;
    if (path.push(key) > this.#limits.maxDepth) {
      throw new Exhausted(
        `validation stopped: the value nests beyond the budget of ${this.#limits.maxDepth} levels`,
      );
    }
    this.seen = undefined;
    const ok = check(value, this);
    this.seen = seen;
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

  /** Returns false, so that a check can end with it. */
  fail(message: string, weight = 1, expected?: string): false {
    if (this.issues && this.issues.length < MAX_ISSUES) {
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

import { InvalidResponseError } from "../../errors.ts";
import type { Check } from "../../protocol/check/check.ts";
import { hasUnsafeIcons, withSafeIcons } from "../../protocol/check/safe-icons.ts";
import { maxListItems } from "../lists/list-pages.ts";
import type { Report } from "../report.ts";

/** Problems that are named in one report; the others are counted. */
const maxNamed = 3;

/** Keeps the good items of a list; the bad ones are reported, all at once, or, if strict, spoil it. */
export class ValidItems {
  readonly #strict: boolean;
  readonly #report: Report;

  constructor(strict: boolean, report: Report) {
    this.#strict = strict;
    this.#report = report;
  }

  /** `what` names the list in problems: `tools/list: tools`. */
  pick<Item>(values: unknown, check: Check, what: string): readonly Item[] {
    if (!Array.isArray(values)) throw new InvalidResponseError(`${what} must be a list.`);
    if (values.length > maxListItems)
      throw new InvalidResponseError(`${what} has more than ${maxListItems} items.`);
    const isValid = values.every((value) => check(value) === undefined);
    const items: readonly Item[] = isValid ? values : this.#leaveOut(values, check, what);
    return items.some(hasUnsafeIcons) ? items.map(withSafeIcons) : items;
  }

  /** Reports a fault that leaves the rest of an answer usable; throws it if strict. */
  passOver(fault: InvalidResponseError): void {
    if (this.#strict) throw fault;
    this.#report(fault);
  }

  #leaveOut<Item>(values: readonly Item[], check: Check, what: string): readonly Item[] {
    const problems: string[] = [];
    const kept = values.filter((value, at) => {
      const problem = check(value);
      if (problem) problems.push(`[${at}]${nameOf(value)}${problem}`);
      return !problem;
    });
    const prefix = this.#strict ? "Refused" : "Left out";
    const unnamed = problems.length - maxNamed;
    const named = problems.slice(0, maxNamed).join("; ") + (unnamed > 0 ? `; and ${unnamed} more` : "");
    this.passOver(
      new InvalidResponseError(`${prefix} ${problems.length} of ${values.length}: ${what}${named}.`),
    );
    return kept;
  }
}

/** The name of an item in a problem, which may be anything. */
function nameOf(value: unknown): string {
  const { name } = Object(value);
  return name ? ` ${JSON.stringify(name)}` : "";
}

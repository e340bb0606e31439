import { InvalidResponseError } from "../../errors.ts";
import { cutText } from "../../lib/text/well-formed.ts";
import type { Check } from "../../protocol/check/check.ts";
import { hasUnsafeIcons, withSafeIcons } from "../../protocol/check/safe-icons.ts";
import { assertListSize } from "../lists/list-limits.ts";
import type { Report } from "../report.ts";

/** Problems that are named in one report; the others are counted. */
const maxNamed = 3;
/** Characters of an item's name in a report. */
const maxName = 100;

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
    assertListSize(what, { items: values.length });
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
    const named: string[] = [];
    const kept = values.filter((value, at) => {
      const problem = check(value);
      if (problem && named.length < maxNamed) named.push(`[${at}]${nameOf(value)}${problem}`);
      return !problem;
    });
    const count = values.length - kept.length;
    const unnamed = count > maxNamed ? `; and ${count - maxNamed} more` : "";
    const prefix = this.#strict ? "Refused" : "Left out";
    this.passOver(
      new InvalidResponseError(
        `${prefix} ${count} of ${values.length}: ${what}${named.join("; ")}${unnamed}.`,
      ),
    );
    return kept;
  }
}

/** The name of an item in a problem; the item is untrusted, and its name may be anything. */
function nameOf(value: unknown): string {
  const { name } = Object(value);
  return typeof name === "string" && name !== "" ? ` ${JSON.stringify(cutText(name, maxName))}` : "";
}

import { InvalidResponseError } from "../../errors.ts";
import type { Check } from "../../protocol/check.ts";
import type { Report } from "../report.ts";

/** Keeps the good items of a list; the bad ones are reported or, if strict, spoil it. */
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
    let kept: unknown[] | undefined;
    for (const [at, value] of values.entries()) {
      const problem = check(value);
      if (problem === undefined) {
        kept?.push(value);
        continue;
      }
      this.#reject(`${what}[${at}]${problem}.`);
      kept ??= values.slice(0, at);
    }
    return (kept ?? values) as Item[];
  }

  #reject(message: string): void {
    const error = new InvalidResponseError(message);
    if (this.#strict) throw error;
    this.#report(new InvalidResponseError(`Left out an invalid item: ${message}`));
  }
}

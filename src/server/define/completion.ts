import { RegistrationError } from "../../errors.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import { didYouMean } from "../../lib/text/did-you-mean.ts";
import type { Completion } from "../../protocol/model/completion.ts";
import type { Context } from "../context/context.ts";

/** Suggests values for a partly typed argument; `ctx.others` are the arguments that the user already filled in. */
export type Completer = (
  value: string,
  ctx: Context & { readonly others: { readonly [name: string]: string } },
) => readonly string[] | Completion | Promise<readonly string[] | Completion>;

/** Throws RegistrationError for a completer of an argument that does not exist, or that is not a function. */
export function assertCompleters(what: string, complete: object | undefined, names: readonly string[]): void {
  for (const [name, completer] of Object.entries(complete ?? {})) {
    if (!names.includes(name)) {
      const hint = didYouMean(name, names) || `; there are ${names.join(", ") || "none"}.`;
      throw new RegistrationError(`${what} completes "${name}", which it does not have${hint}`);
    }
    if (completer !== undefined && typeof completer !== "function") {
      const given = describeValue(completer);
      throw new RegistrationError(`${what} must complete "${name}" by a function, not ${given}.`);
    }
  }
}

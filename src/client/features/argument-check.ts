import { UsageError } from "../../errors.ts";
import { isObject } from "../../lib/json.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import { explainJsonLoss } from "../../lib/text/json-loss.ts";

/** Throws UsageError for arguments of a tool that JSON would drop or empty without a word. */
export function assertArguments(tool: string, args: unknown): void {
  if (!isObject(args) || explainJsonLoss(args, "pass") !== undefined)
    throw new UsageError(
      `client.tools.call takes the arguments of "${tool}" as an object, not ${describeValue(args)}.`,
    );
  for (const name in args) {
    const loss = explainJsonLoss(args[name], "pass");
    if (loss !== undefined)
      throw new UsageError(`JSON can't hold the argument "${name}" of "${tool}", ${loss}.`);
  }
}

import { InvalidOutputError } from "../../../errors.ts";
import { andThen, type MaybePromise } from "../../../lib/async/maybe-promise.ts";
import { describeIssues } from "../../../lib/text/issue.ts";
import type { CompiledTool } from "../../define/tool.ts";

/**
 * Validates structured content by the output schema of its tool. Throws InvalidOutputError.
 *
 * server/tools#output-schema (2025-11-25)
 */
export function checkToolOutput(
  { listed, output }: CompiledTool,
  value: unknown,
): MaybePromise<{ readonly value: unknown }> {
  if (output === undefined) return { value };
  return andThen(output.validate(value), (checked) => {
    if (checked.ok) return checked;
    const issues = describeIssues(checked.issues);
    throw new InvalidOutputError(
      `Tool "${listed.name}" returned a result that its output schema does not allow:\n${issues}`,
    );
  });
}

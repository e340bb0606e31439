import { didYouMean } from "../../../lib/text/did-you-mean.ts";
import { type Issue, maxIssues, toPath, type ValidationResult } from "../../../lib/text/issue.ts";
import type { CompiledTool } from "../../define/tool.ts";

/**
 * Validates the arguments of a call. Returns a promise only if the schema is asynchronous.
 *
 * server/tools#security-considerations (2025-11-25)
 */
export function checkArguments(
  tool: CompiledTool,
  args: unknown,
): ValidationResult<unknown> | Promise<ValidationResult<unknown>> {
  const unknown = unknownArguments(tool, args);
  if (unknown.length > 0 && tool.unknownArguments === "refuse") return { ok: false, issues: unknown };
  if (tool.input === undefined) return { ok: true, value: args };
  const checked = tool.input.validate(args);
  if (unknown.length === 0) return checked;
  return checked instanceof Promise
    ? checked.then((settled) => withHints(settled, unknown))
    : withHints(checked, unknown);
}

/** Adds unknown arguments to a failure: a misspelled name explains a missing argument. */
function withHints(checked: ValidationResult<unknown>, unknown: readonly Issue[]): ValidationResult<unknown> {
  return checked.ok ? checked : { ok: false, issues: [...checked.issues, ...unknown] };
}

function unknownArguments(tool: CompiledTool, args: unknown): Issue[] {
  const names = tool.argumentNames;
  if (names === undefined || typeof args !== "object" || args === null) return [];
  const unknown = Object.keys(args).filter((name) => !names.includes(name));
  if (unknown.length === 0) return [];
  // Each hint costs a comparison with all names, so a flood of arguments gets few.
  return unknown.slice(0, maxIssues).map((name) => ({
    path: toPath([name]),
    message: `is not an argument${didYouMean(name, names)}`,
  }));
}

import { type Issue, maxIssues, toPath, type ValidationResult } from "../../lib/issue.ts";
import type { CompiledTool } from "./tool.ts";

/** Validates the arguments of a call. Returns a promise only if the schema is asynchronous. */
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

function didYouMean(name: string, names: readonly string[]): string {
  const close = names
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.distance - b.distance)[0];
  return close ? `; did you mean "${close.candidate}"?` : "";
}

// The comparison takes quadratic time, and a longer name is hardly a typing error.
const longestCompared = 64;

function editDistance(a: string, b: string): number {
  if (a.length > longestCompared || b.length > longestCompared) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitution));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

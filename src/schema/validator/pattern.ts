import { SchemaRefusedError } from "../error.ts";
import type { ValidationRun } from "./run.ts";

export type MatchesPattern = (text: string, run: ValidationRun) => boolean;
export type CompilePattern = (source: string) => MatchesPattern;

/** For patterns that this program's author wrote. */
export const nativePattern: CompilePattern = (source) => {
  const expression = toRegExp(source, "u") ?? toRegExp(source, "");
  if (!expression) throw badPattern(source, "is not a regular expression");
  return (text) => expression.test(text);
};

export function badPattern(source: string, why: string): SchemaRefusedError {
  return new SchemaRefusedError("bad-pattern", `The pattern ${JSON.stringify(source.slice(0, 200))} ${why}.`);
}

/** Unicode mode is what JSON Schema recommends, but it refuses needless escapes that authors do write. */
function toRegExp(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

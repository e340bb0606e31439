import { UsageError } from "../../errors.ts";
import { isObject } from "../../lib/json.ts";
import { describeValue } from "../../lib/text/describe-value.ts";

/** Throws UsageError for arguments of a tool that JSON would drop or empty without a word. */
export function assertArguments(tool: string, args: unknown): void {
  if (!isObject(args) || isLostInJson(args))
    throw new UsageError(
      `client.tools.call takes the arguments of "${tool}" as an object, not ${describeValue(args)}.`,
    );
  for (const name in args) {
    const value = args[name];
    if ((typeof value === "object" || typeof value === "function") && isLostInJson(value))
      throw new UsageError(
        `JSON can't hold the argument "${name}" of "${tool}", ${describeValue(value)}; ${adviceFor(value)}.`,
      );
  }
}

function isLostInJson(value: unknown): boolean {
  return (
    typeof value === "function" ||
    value instanceof Map ||
    value instanceof Set ||
    value instanceof Promise ||
    value instanceof ArrayBuffer
  );
}

function adviceFor(value: unknown): string {
  if (value instanceof Promise) return "await it first";
  if (value instanceof Map) return "pass Object.fromEntries(…) of it";
  if (value instanceof Set) return "pass an array of it";
  if (value instanceof ArrayBuffer) return "pass a string of it, such as base64";
  return "pass a value";
}

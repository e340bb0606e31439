import { isObject } from "../json-schema.ts";
import { BudgetExceededError, type ValidationRun } from "./run.ts";

/** A text that two JSON values share exactly when they are equal. */
export function canonicalJsonWithin(value: unknown, run?: ValidationRun, depth = 0): string {
  if (depth > 256) throw new BudgetExceededError("validation stopped: the value nests beyond the budget");
  // Objects cost more than what is in them: their keys are sorted and copied.
  run?.spend(typeof value === "string" ? 1 + (value.length >> 4) : typeof value === "object" ? 8 : 1);
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${value.map((item) => canonicalJsonWithin(item, run, depth + 1)).join()}]`;
  if (!isObject(value)) return String(value);
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJsonWithin(value[key], run, depth + 1)}`);
  return `{${members.join()}}`;
}

import { isObject } from "../../../lib/json.ts";
import { type CompileKeyword, type KeywordTable, numberAt } from "../keyword.ts";
import type { ValidationRun } from "../run.ts";
import { keysOf } from "./object.ts";

/** The size of a value in one respect; undefined if the respect does not apply to it. */
type Measure = (value: unknown, run: ValidationRun, limit: number) => number | undefined;
type Holds = (size: number, limit: number) => boolean;

const atLeast: Holds = (size, limit) => size >= limit;
const atMost: Holds = (size, limit) => size <= limit;

const itself: Measure = (value) => (typeof value === "number" ? value : undefined);
const items: Measure = (value) => (Array.isArray(value) ? value.length : undefined);
const properties: Measure = (value, run) => (isObject(value) ? keysOf(value, run).length : undefined);

/** Code points are counted only where the number of code units does not decide. */
const characters: Measure = (value, run, limit) => {
  if (typeof value !== "string") return undefined;
  if (value.length < limit || value.length > limit * 2 + 1) return value.length;
  run.spend(value.length >> 4);
  let count = 0;
  for (const _ of value) count++;
  return count;
};

/** Decimal fractions are rarely exact: 0.0075 counts as a multiple of 0.0001. */
const isMultiple: Holds = (value, divisor) => {
  const quotient = value / divisor;
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * Number.EPSILON * 4;
};

/** Keywords that compare a size with a number. */
export const boundKeywords: KeywordTable = {
  minimum: limit(itself, atLeast, "be at least"),
  maximum: limit(itself, atMost, "be at most"),
  exclusiveMinimum: limit(itself, (value, limit) => value > limit, "be greater than"),
  exclusiveMaximum: limit(itself, (value, limit) => value < limit, "be less than"),
  multipleOf: limit(itself, isMultiple, "be a multiple of"),
  minLength: limit(characters, atLeast, "have at least", " characters"),
  maxLength: limit(characters, atMost, "have at most", " characters"),
  minItems: limit(items, atLeast, "have at least", " items"),
  maxItems: limit(items, atMost, "have at most", " items"),
  minProperties: limit(properties, atLeast, "have at least", " properties"),
  maxProperties: limit(properties, atMost, "have at most", " properties"),
};

function limit(measure: Measure, holds: Holds, words: string, unit = ""): CompileKeyword {
  return (schema, _, keyword) => {
    const limit = numberAt(schema, keyword);
    return (value, run) => {
      const size = measure(value, run, limit);
      return size === undefined || holds(size, limit) || run.fail(`must ${words} ${limit}${unit}`);
    };
  };
}

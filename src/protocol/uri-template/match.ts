import { allows } from "./character-set.ts";
import type { MatchStep, MatchSteps } from "./compile.ts";
import { type MatchedValue, type MatchedVariable, readStep } from "./matched-value.ts";
import { decodeOnce, firstCharacters } from "./percent.ts";

const maxUriLength = 1_048_576;

/**
 * Matches in two passes without backtracking. The first goes from right to left and notes, for every step, the
 * places from where the rest of the template can be matched; the second goes from left to right and only ever
 * ends a step at such a place. Both look at each character a fixed number of times per step.
 *
 * Where several readings are possible, an optional step is present rather than absent, and a value is as short as it
 * can be, so that the first separator counts. A value with a length limit (`{var:3}`) and a row of parameters are as
 * long as they can be.
 */
export function matchSteps(
  { steps, tail }: MatchSteps,
  uri: string,
): Record<string, MatchedValue> | undefined {
  if (uri.length > maxUriLength) return undefined;
  const text = decodeOnce(uri);
  if (text === undefined || !text.startsWith(steps[0]?.literal ?? tail) || !text.endsWith(tail))
    return undefined;
  const starts = findStarts(steps, text, text.length - tail.length);
  if (starts[0]?.[0] !== 1) return undefined;
  const readings: MatchedVariable[] = [];
  for (let index = 0, at = 0; index < steps.length; ) {
    const step = steps[index] as MatchStep;
    at += step.literal.length;
    const end = findEnd(step, text, at, starts[index + 1] as Uint8Array);
    if (end === undefined) {
      index = step.ifAbsent;
      continue;
    }
    const read = readStep(step, text.slice(step.lead === "" ? at : at + 1, end));
    if (read === undefined) return undefined;
    readings.push(...read);
    at = end;
    index++;
  }
  return gather(readings);
}

/** For each step, and for the end, the places (marked 1) where it can begin so that all that follows matches. */
function findStarts(steps: readonly MatchStep[], text: string, end: number): Uint8Array[] {
  const starts: Uint8Array[] = [];
  starts[steps.length] = new Uint8Array(text.length + 1);
  (starts[steps.length] as Uint8Array)[end] = 1;
  for (let index = steps.length - 1; index >= 0; index--) {
    const step = steps[index] as MatchStep;
    const next = starts[index + 1] as Uint8Array;
    const otherwise = starts[step.ifAbsent] as Uint8Array;
    starts[index] = placeLiteral(step.literal, text, placeValue(step, text, next, otherwise));
  }
  return starts;
}

function placeValue(step: MatchStep, text: string, next: Uint8Array, otherwise: Uint8Array): Uint8Array {
  const { lead, span, maxCharacters } = step;
  const places = new Uint8Array(text.length + 1);
  // Characters from here to the nearest place where the next step can begin.
  let distance = Number.POSITIVE_INFINITY;
  for (let at = text.length; at >= 0; at--) {
    const inText = at < text.length;
    const opens = lead !== "" && inText && distance <= maxCharacters && lead.includes(text.charAt(at));
    const code = text.charCodeAt(at);
    if (next[at] === 1) distance = 0;
    else if (inText && allows(span, code)) distance += characters(code);
    else distance = Number.POSITIVE_INFINITY;
    if (opens || (lead === "" ? distance <= maxCharacters : otherwise[at] === 1)) places[at] = 1;
  }
  return places;
}

/** The places where the literal stands right before one of `places` (Knuth, Morris and Pratt). */
function placeLiteral(literal: string, text: string, places: Uint8Array): Uint8Array {
  if (literal === "") return places;
  const borders = findBorders(literal);
  const before = new Uint8Array(places.length);
  for (let at = 0, matched = 0; at < text.length; at++) {
    matched = advance(literal, borders, matched, text.charCodeAt(at));
    if (matched === literal.length) before[at + 1 - matched] = places[at + 1] as number;
  }
  return before;
}

/** For each length, how long the longest proper beginning of that much of the literal is that also ends it. */
function findBorders(literal: string): Uint16Array {
  const borders = new Uint16Array(literal.length + 1);
  for (let at = 1, matched = 0; at < literal.length; at++) {
    matched = advance(literal, borders, matched, literal.charCodeAt(at));
    borders[at + 1] = matched;
  }
  return borders;
}

function advance(literal: string, borders: Uint16Array, matched: number, code: number): number {
  let length = matched;
  while (length > 0 && literal.charCodeAt(length) !== code) length = borders[length] as number;
  return literal.charCodeAt(length) === code ? length + 1 : 0;
}

/** The end of the step that begins at `start`; undefined when it is absent. */
function findEnd(step: MatchStep, text: string, start: number, next: Uint8Array): number | undefined {
  if (step.lead !== "" && (start === text.length || !step.lead.includes(text.charAt(start))))
    return undefined;
  let found: number | undefined;
  let length = 0;
  for (let at = step.lead === "" ? start : start + 1; length <= step.maxCharacters; at++) {
    if (next[at] === 1) found = at;
    const code = text.charCodeAt(at);
    if ((found !== undefined && !step.greedy) || at >= text.length || !allows(step.span, code)) break;
    length += characters(code);
  }
  return found;
}

/** A character outside the basic plane is two code units; the second one adds nothing. */
function characters(code: number): number {
  return code >= 0xdc00 && code <= 0xdfff ? 0 : 1;
}

/** Joins the readings. A variable that occurs several times has the longest; the others must be as it expands there. */
function gather(readings: readonly MatchedVariable[]): Record<string, MatchedValue> | undefined {
  const values: Record<string, MatchedValue> = Object.create(null);
  for (const [{ name }, value] of readings) {
    const known = values[name];
    const isShorter = typeof value === "string" && typeof known === "string" && value.length < known.length;
    if (!isShorter) values[name] = value;
  }
  for (const [{ name, maxCharacters }, value] of readings) {
    const whole = values[name];
    if (typeof whole !== "string") continue;
    if (value !== (maxCharacters === undefined ? whole : firstCharacters(whole, maxCharacters)))
      return undefined;
  }
  return values;
}

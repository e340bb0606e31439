// Turns the text that a step spans into values, and refuses values that could lead a handler astray.
import { allows, type CharacterSet } from "./character-set.ts";
import type { MatchStep, NamedVariables, PositionalVariable } from "./compile.ts";
import type { TemplateVariable } from "./parse.ts";
import { unmark } from "./percent.ts";

/**
 * A plain variable is text. An exploded one (`{list*}`) is a list, or an associative array without a prototype
 * where the URI has `key=value` items.
 */
export type MatchedValue = string | string[] | Record<string, string>;

export type MatchedVariable = readonly [variable: TemplateVariable, value: MatchedValue];

/** The values in `text`; undefined when it holds one that cannot be accepted. */
export function readStep(step: MatchStep, text: string): MatchedVariable[] | undefined {
  return step.content.kind === "named"
    ? readNamed(step, step.content, text)
    : readPositional(step, step.content, text);
}

function readPositional(
  step: MatchStep,
  { variable, keyed }: PositionalVariable,
  text: string,
): MatchedVariable[] | undefined {
  if (!variable.explode) return toReadings(variable, toText(text, step.value));
  if (text === "" && step.lead === "") return [];
  const items = text.split(step.separator);
  if (!keyed || !text.includes("=")) return toReadings(variable, toList(items, step.value));
  if (!items.every((item) => item.includes("="))) return undefined;
  return toReadings(variable, toRecord(items.map(splitPair), step.value));
}

function readNamed(step: MatchStep, content: NamedVariables, text: string): MatchedVariable[] | undefined {
  const pairs = sortPairs(content, text.split(step.separator));
  if (pairs === undefined) return undefined;
  const readings: MatchedVariable[] = [];
  for (const [variable, found] of pairs) {
    const value = toNamedValue(variable, found, step.value);
    if (value === undefined) return undefined;
    readings.push([variable, value]);
  }
  return readings;
}

/**
 * Parameters come in any order. Unknown ones are ignored only in a query that nothing but a fragment follows and
 * that has no exploded variable, which could have written them. A plain variable given twice, or a parameter that
 * the template sets itself given again, does not match: whatever else reads the URI could believe the other one.
 */
function sortPairs(
  content: NamedVariables,
  pairs: readonly string[],
): Map<TemplateVariable, Pair[]> | undefined {
  const sorted = new Map<TemplateVariable, Pair[]>();
  for (const text of pairs) {
    const pair = splitPair(text);
    const [name] = pair;
    const variable = content.variables.get(name) ?? content.collector;
    if (!content.variables.has(name)) {
      if (content.fixed.has(name)) return undefined;
      if (text === "" || content.ignoresUnknown) continue;
    }
    if (variable === undefined) return undefined;
    const found = sorted.get(variable);
    if (found === undefined) sorted.set(variable, [pair]);
    else if (variable.explode) found.push(pair);
    else return undefined;
  }
  return sorted;
}

function toNamedValue(
  variable: TemplateVariable,
  pairs: readonly Pair[],
  allowed: CharacterSet,
): MatchedValue | undefined {
  if (pairs.some(([name]) => name !== variable.key)) return toRecord(pairs, allowed);
  const list = toList(
    pairs.map(([, value]) => value),
    allowed,
  );
  return variable.explode ? list : list?.[0];
}

type Pair = readonly [name: string, value: string];

function splitPair(pair: string): Pair {
  const equals = pair.indexOf("=");
  return equals < 0 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
}

function toReadings(
  variable: TemplateVariable,
  value: MatchedValue | undefined,
): MatchedVariable[] | undefined {
  return value === undefined ? undefined : [[variable, value]];
}

function toRecord(pairs: readonly Pair[], allowed: CharacterSet): Record<string, string> | undefined {
  const record: Record<string, string> = Object.create(null);
  for (const pair of pairs) {
    const [key, value] = toList(pair, allowed) ?? [];
    if (key === undefined || value === undefined || key in record) return undefined;
    record[key] = value;
  }
  return record;
}

function toList(items: readonly string[], allowed: CharacterSet): string[] | undefined {
  const list: string[] = [];
  for (const item of items) {
    const text = toText(item, allowed);
    if (text === undefined) return undefined;
    list.push(text);
  }
  return list;
}

function toText(marked: string, allowed: CharacterSet): string | undefined {
  for (let at = 0; at < marked.length; at++) {
    if (!allows(allowed, marked.charCodeAt(at))) return undefined;
  }
  const text = unmark(marked);
  return hasDotSegment(text) ? undefined : text;
}

/**
 * True if a `.` or `..` segment is in the text for any reader it may be handed to: one that decodes again, takes
 * `\` for `/`, drops tabs and line ends (URL parsers), cuts parameters off at `;`, or trims spaces (Windows).
 */
function hasDotSegment(text: string): boolean {
  if (!text.includes(".") && !text.includes("%")) return false;
  const plain = text
    .replace(/[\t\n\r]/g, "")
    .replace(/%(?:25)*(2e|2f|5c)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return /(?:^|[/\\])\.\.? *(?:[/\\;?#]|$)/.test(plain);
}

// Compiles a template into a row of steps, which are matched from left to right.
import { type CharacterSet, toCharacterSet } from "./character-set.ts";
import { notations } from "./operator.ts";
import type { TemplateExpression, TemplatePart, TemplateVariable } from "./parse.ts";
import { decodeOnce, reservedCharacters } from "./percent.ts";

export interface MatchStep {
  /** Decoded text that comes first. */
  readonly literal: string;
  /** One of these characters opens the step, which may be absent; when empty, the step is always there. */
  readonly lead: string;
  /** The step to go on with when this one is absent: what follows it in its expression is absent too. */
  readonly ifAbsent: number;
  readonly separator: string;
  /** The characters that the step may span. */
  readonly span: CharacterSet;
  /** The characters that each value in it may hold. */
  readonly value: CharacterSet;
  readonly maxCharacters: number;
  /** Spans as much as it can, rather than as little. */
  readonly greedy: boolean;
  readonly content: PositionalVariable | NamedVariables;
}

export interface PositionalVariable {
  readonly kind: "positional";
  readonly variable: TemplateVariable;
  /** Items written `key=value` make an associative array. */
  readonly keyed: boolean;
}

export interface NamedVariables {
  readonly kind: "named";
  readonly variables: ReadonlyMap<string, TemplateVariable>;
  /** The variable that takes all names that are not variables. */
  readonly collector: TemplateVariable | undefined;
  readonly ignoresUnknown: boolean;
  /** Parameters that the template sets itself, as in `?version=1{&id}`. */
  readonly fixed: ReadonlySet<string>;
}

export interface MatchSteps {
  readonly steps: readonly MatchStep[];
  /** Literal text after the last step. */
  readonly tail: string;
}

export function compileSteps(parts: readonly TemplatePart[]): MatchSteps {
  const tolerated = findTolerated(parts);
  const steps: MatchStep[] = [];
  let before = "";
  let literal = "";
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as TemplatePart;
    if (typeof part === "string") {
      literal = decodeOnce(part) ?? "";
      before += literal;
      continue;
    }
    const origin = { literal, index: steps.length, tolerated };
    if (notations[part.operator].named) {
      const run = takeNamed(parts, index);
      index += run.length - 1;
      steps.push(toNamedStep(origin, run, { before, after: parts[index + 1] }));
    } else {
      steps.push(...toPositionalSteps(origin, part));
    }
    literal = "";
  }
  return { steps, tail: literal };
}

interface Origin {
  readonly literal: string;
  readonly index: number;
  readonly tolerated: string;
}

/**
 * `expand` escapes these, but no operator gives them a meaning and other writers of URIs leave them raw
 * (`encodeURIComponent` does with five), so values may hold them, unless the template itself separates values by them.
 */
function findTolerated(parts: readonly TemplatePart[]): string {
  const first = parts.findIndex((part) => typeof part !== "string");
  const inner = parts.slice(first).filter((part) => typeof part === "string");
  return Array.from("!$'()*:@")
    .filter((character) => !inner.some((text) => text.includes(character)))
    .join("");
}

function toPositionalSteps(
  { literal, index, tolerated }: Origin,
  expression: TemplateExpression,
): MatchStep[] {
  const { first, separator, reserved } = notations[expression.operator];
  const value = toCharacterSet(reserved ? reservedCharacters : tolerated, { slashes: reserved });
  const items = toCharacterSet(`${tolerated}${separator}=`, { slashes: false });
  return expression.variables.map((variable, position) => ({
    literal: position === 0 ? literal : "",
    lead: position === 0 ? first : separator,
    ifAbsent: index + expression.variables.length,
    separator,
    span: variable.explode && !reserved ? items : value,
    value,
    maxCharacters: variable.maxCharacters ?? Number.MAX_SAFE_INTEGER,
    greedy: variable.maxCharacters !== undefined,
    content: { kind: "positional", variable, keyed: !reserved },
  }));
}

/** The named expressions that make one row of parameters, as in `{?a}{&b}`. */
function takeNamed(parts: readonly TemplatePart[], start: number): TemplateExpression[] {
  const run: TemplateExpression[] = [];
  for (const part of parts.slice(start)) {
    if (typeof part === "string" || !notations[part.operator].named) break;
    const separator = run[0] && notations[run[0].operator].separator;
    if (separator !== undefined && separator !== part.operator) break;
    run.push(part);
  }
  return run;
}

function toNamedStep(
  { literal, index, tolerated }: Origin,
  run: readonly TemplateExpression[],
  { before, after }: { readonly before: string; readonly after: TemplatePart | undefined },
): MatchStep {
  const variables = run.flatMap((expression) => expression.variables);
  const exploded = variables.filter(({ explode }) => explode);
  const leads = new Set(run.map(({ operator }) => operator));
  const query = !leads.has(";");
  const separator = query ? "&" : ";";
  const isLast = query && beginsFragment(after);
  return {
    literal,
    lead: [...leads].join(""),
    ifAbsent: index + 1,
    separator,
    span: toCharacterSet(isLast ? reservedCharacters.replace("#", "") : `${tolerated}${separator}=`, {
      slashes: query,
    }),
    value: toCharacterSet(tolerated, { slashes: query }),
    maxCharacters: Number.MAX_SAFE_INTEGER,
    greedy: true,
    content: {
      kind: "named",
      variables: new Map(variables.map((variable) => [variable.key, variable])),
      collector: exploded.length === 1 ? exploded[0] : undefined,
      ignoresUnknown: isLast && exploded.length === 0,
      fixed: findFixed(before),
    },
  };
}

function beginsFragment(part: TemplatePart | undefined): boolean {
  if (part === undefined) return true;
  return typeof part === "string" ? part.startsWith("#") : part.operator === "#";
}

function findFixed(literals: string): ReadonlySet<string> {
  const [, ...queries] = literals.split("?");
  const pairs = queries.flatMap((query) => query.split("&"));
  return new Set(pairs.map((pair) => pair.split("=")[0] as string));
}

// What a template asks of a URI, as a row of steps that are matched from left to right.
import { type CharacterSet, toCharacterSet } from "./character-set.ts";
import { NOTATIONS } from "./operator.ts";
import type { Expression, Part, Variable } from "./parse.ts";
import { decodeOnce, RESERVED } from "./percent.ts";

export interface Step {
  /** Decoded text that comes first. */
  readonly literal: string;
  /** One of these characters opens the step, which may be absent; when empty, the step is always there. */
  readonly lead: string;
  /** The step to go on with when this one is absent: what follows it in its expression is absent too. */
  readonly ifAbsent: number;
  readonly separator: string;
  /** What the step may span. */
  readonly span: CharacterSet;
  /** What each value in it may hold. */
  readonly value: CharacterSet;
  readonly maxCharacters: number;
  /** Spans as much as it can, rather than as little. */
  readonly greedy: boolean;
  readonly content: Positional | Named;
}

export interface Positional {
  readonly kind: "positional";
  readonly variable: Variable;
  /** Items written `key=value` make an associative array. */
  readonly keyed: boolean;
}

export interface Named {
  readonly kind: "named";
  readonly variables: ReadonlyMap<string, Variable>;
  /** The variable that takes all names that are not variables. */
  readonly collector: Variable | undefined;
  readonly ignoresUnknown: boolean;
  /** Parameters that the template sets itself, as in `?version=1{&id}`. */
  readonly fixed: ReadonlySet<string>;
}

export interface Steps {
  readonly steps: readonly Step[];
  /** Literal text after the last step. */
  readonly tail: string;
}

export function compileSteps(parts: readonly Part[]): Steps {
  const tolerated = findTolerated(parts);
  const steps: Step[] = [];
  let before = "";
  let literal = "";
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as Part;
    if (typeof part === "string") {
      literal = decodeOnce(part) ?? "";
      before += literal;
      continue;
    }
    const origin = { literal, index: steps.length, tolerated };
    if (NOTATIONS[part.operator].named) {
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
 * (`encodeURIComponent` does with five), so values may hold them, unless the template itself tells values apart by them.
 */
function findTolerated(parts: readonly Part[]): string {
  const first = parts.findIndex((part) => typeof part !== "string");
  const inner = parts.slice(first).filter((part) => typeof part === "string");
  return Array.from("!$'()*:@")
    .filter((character) => !inner.some((text) => text.includes(character)))
    .join("");
}

function toPositionalSteps({ literal, index, tolerated }: Origin, expression: Expression): Step[] {
  const { first, separator, reserved } = NOTATIONS[expression.operator];
  const value = toCharacterSet(reserved ? RESERVED : tolerated, { slashes: reserved });
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
function takeNamed(parts: readonly Part[], start: number): Expression[] {
  const run: Expression[] = [];
  for (const part of parts.slice(start)) {
    if (typeof part === "string" || !NOTATIONS[part.operator].named) break;
    const separator = run[0] && NOTATIONS[run[0].operator].separator;
    if (separator !== undefined && separator !== part.operator) break;
    run.push(part);
  }
  return run;
}

function toNamedStep(
  { literal, index, tolerated }: Origin,
  run: readonly Expression[],
  { before, after }: { readonly before: string; readonly after: Part | undefined },
): Step {
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
    span: toCharacterSet(isLast ? RESERVED.replace("#", "") : `${tolerated}${separator}=`, {
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

function beginsFragment(part: Part | undefined): boolean {
  if (part === undefined) return true;
  return typeof part === "string" ? part.startsWith("#") : part.operator === "#";
}

function findFixed(literals: string): ReadonlySet<string> {
  const [, ...queries] = literals.split("?");
  const pairs = queries.flatMap((query) => query.split("&"));
  return new Set(pairs.map((pair) => pair.split("=")[0] as string));
}

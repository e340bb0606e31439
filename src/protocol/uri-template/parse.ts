import { notations, type Operator } from "./operator.ts";
import { decodeOnce } from "./percent.ts";

export interface TemplateVariable {
  readonly name: string;
  /** The name as it reads in a decoded URI. */
  readonly key: string;
  readonly explode: boolean;
  /** From the modifier `:n`. */
  readonly maxCharacters: number | undefined;
}

export interface TemplateExpression {
  readonly operator: Operator;
  readonly variables: readonly TemplateVariable[];
}

/** Literal text, or an expression. */
export type TemplatePart = string | TemplateExpression;

const maxTemplateLength = 8192;
const maxVariables = 64;

/** A template, or values for one, that RFC 6570 gives no meaning to. */
export class UriTemplateError extends Error {
  override readonly name: string = "UriTemplateError";
  readonly code = "invalid-uri-template" as const;
}

export function parseTemplate(template: string): readonly TemplatePart[] {
  if (template.length > maxTemplateLength) {
    throw new UriTemplateError(
      `URI template of ${template.length} characters; shorten it to at most ${maxTemplateLength}.`,
    );
  }
  const parts: TemplatePart[] = [];
  const keys = new Set<string>();
  let count = 0;
  for (const { 0: token, index } of template.matchAll(/\{[^}]*\}?|[^{]+/g)) {
    const fail = (problem: string, at = 0) => invalid(template, index + at, problem);
    if (!token.startsWith("{")) {
      parts.push(checkLiteral(token, fail));
      continue;
    }
    const expression = parseExpression(token, fail);
    count += expression.variables.length;
    if (count > maxVariables) throw fail(`too many variables; use at most ${maxVariables}`);
    const repeated = findRepeated(expression, keys);
    if (repeated) throw fail(`variable "${shorten(repeated)}" is used twice; rename one`);
    for (const { key } of expression.variables) keys.add(key);
    parts.push(expression);
  }
  return parts;
}

/** The names of the variables, each once, in order. */
export function variableNames(parts: readonly TemplatePart[]): readonly string[] {
  const names = parts.flatMap((part) =>
    typeof part === "string" ? [] : part.variables.map(({ name }) => name),
  );
  return [...new Set(names)];
}

type Fail = (problem: string, at?: number) => UriTemplateError;

function checkLiteral(literal: string, fail: Fail): string {
  const stray = literal.search(/\}|%(?![0-9A-Fa-f]{2})/);
  if (stray >= 0) throw fail('stray "}" or "%"; remove it, or write "%7D" or "%25"', stray);
  if (decodeOnce(literal) === undefined) {
    throw fail("the text has a control character, or an escape that is not UTF-8; remove it");
  }
  return literal;
}

function parseExpression(token: string, fail: Fail): TemplateExpression {
  if (!token.endsWith("}")) throw fail('"{" is never closed; add "}", or write "%7B"');
  const [, operator, specs] = /^\{([+#./;?&]?)(.*)\}$/s.exec(token) as unknown as [string, Operator, string];
  if (/^[^\w%]/.test(specs))
    throw fail(`unknown operator "${specs[0]}"; use one of + # . / ; ? & or none`, 1);
  return { operator, variables: specs.split(",").map((spec) => parseVariable(spec, fail)) };
}

function parseVariable(spec: string, fail: Fail): TemplateVariable {
  const [, name = "", modifier = ""] =
    /^((?:\.?(?:\w|%[0-9A-Fa-f]{2}))+)(\*|:[1-9]\d{0,3})?$/.exec(spec) ?? [];
  const key = decodeOnce(name);
  if (!key || name.startsWith(".")) {
    throw fail(
      `"${shorten(spec)}" is not a variable; write letters, digits and "_", then "*", or ":" and 1 to 9999, or nothing`,
    );
  }
  const explode = modifier === "*";
  return { name, key, explode, maxCharacters: modifier && !explode ? Number(modifier.slice(1)) : undefined };
}

/**
 * RFC 6570 repeats a variable within one positional expression (`{/var:1,var}`), which can be matched.
 * Anywhere else a repeated name is taken for a slip.
 */
function findRepeated(
  { operator, variables }: TemplateExpression,
  earlier: ReadonlySet<string>,
): string | undefined {
  const { named } = notations[operator];
  const repeated = variables.find(({ name, key }) => {
    const twins = variables.filter((twin) => twin.key === key);
    const agree = !named && twins.every((twin) => twin.name === name && !twin.explode);
    return earlier.has(key) || (twins.length > 1 && !agree);
  });
  return repeated?.name;
}

function invalid(template: string, at: number, problem: string): UriTemplateError {
  return new UriTemplateError(`URI template "${shorten(template)}", character ${at + 1}: ${problem}.`);
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}...` : text;
}

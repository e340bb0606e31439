import { parseTemplate, type TemplatePart, UriTemplateError } from "../protocol/uri-template/parse.ts";
import type { Finding } from "./finding.ts";

/** Templates that are looked at. */
const maxTemplates = 1_000;

/** Looks for templates whose variables can't be told apart, and for those that match what another one matches. */
export function checkTemplates(templates: readonly string[]): Finding[] {
  const shapes = new Map<string, string>();
  return templates.slice(0, maxTemplates).flatMap((template) => {
    const parts = parse(template);
    if (parts === undefined) return [];
    const shape = toShape(parts);
    const twin = shapes.get(shape);
    if (twin === undefined) shapes.set(shape, template);
    return [
      ...(isAmbiguous(parts)
        ? [
            advice(
              template,
              "two variables stand side by side, so that nobody can tell where one ends",
              'write something between them, such as "/"',
            ),
          ]
        : []),
      ...(twin === undefined
        ? []
        : [
            advice(
              template,
              `it matches the same URIs as ${JSON.stringify(twin)}, so that one of the two is never read`,
              "give one of them another path",
            ),
          ]),
    ];
  });
}

/** A template of another library may not be one of RFC 6570. */
function parse(template: string): readonly TemplatePart[] | undefined {
  try {
    return parseTemplate(template);
  } catch (error) {
    if (error instanceof UriTemplateError) return undefined;
    throw error;
  }
}

/** True for `{a}{b}`: other operators begin with a character that separates, and `{a:3}` has an end of its own. */
function isAmbiguous(parts: readonly TemplatePart[]): boolean {
  return parts.some((part, index) => {
    const next = parts[index + 1];
    if (typeof part === "string" || next === undefined || typeof next === "string") return false;
    const hasEnd = part.variables.at(-1)?.maxCharacters !== undefined;
    return !hasEnd && isPlain(part.operator) && isPlain(next.operator);
  });
}

function isPlain(operator: string): boolean {
  return operator === "" || operator === "+";
}

/** The template without the names of variables, where these are not a part of the URI. */
function toShape(parts: readonly TemplatePart[]): string {
  const shapes = parts.map((part) => {
    if (typeof part === "string") return part;
    const isNamed = [";", "?", "&"].includes(part.operator);
    const variables = part.variables.map(({ name, explode, maxCharacters }) => [
      isNamed ? name : "",
      explode,
      maxCharacters,
    ]);
    return [part.operator, variables];
  });
  return JSON.stringify(shapes);
}

function advice(template: string, problem: string, fix: string): Finding {
  return { severity: "advice", about: `template ${JSON.stringify(template)}`, problem, fix };
}

import { type Notation, notations } from "./operator.ts";
import { parseTemplate, type TemplateExpression, type TemplateVariable, UriTemplateError } from "./parse.ts";
import { encodeReserved, encodeValue, firstCharacters } from "./percent.ts";

/** Text, a list, or an associative array. An empty list or array counts as undefined (RFC 6570, section 2.3). */
export type TemplateValue = string | readonly string[] | { readonly [key: string]: string };

export type TemplateValues = Readonly<Record<string, TemplateValue | undefined>>;

/** The URI of a template for these values; variables without a value are left out. Throws UriTemplateError. */
export function expandUriTemplate(template: string, values: TemplateValues): string {
  return parseTemplate(template)
    .map((part) => (typeof part === "string" ? encodeReserved(part) : expandExpression(part, values)))
    .join("");
}

function expandExpression({ operator, variables }: TemplateExpression, values: TemplateValues): string {
  const notation = notations[operator];
  const written = variables.flatMap((variable) => {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined;
    return value === undefined || value === null ? [] : expandVariable(variable, value, notation);
  });
  return written.length === 0 ? "" : notation.first + written.join(notation.separator);
}

/** The items that the separator joins; none for an empty list. */
function expandVariable(variable: TemplateVariable, value: TemplateValue, notation: Notation): string[] {
  const encode = notation.reserved ? encodeReserved : encodeValue;
  const withName = (text: string) => (notation.named ? writeNamed(variable.name, text, notation) : text);
  const { maxCharacters } = variable;
  if (typeof value !== "object") {
    const text = String(value);
    return [withName(encode(maxCharacters === undefined ? text : firstCharacters(text, maxCharacters)))];
  }
  if (maxCharacters !== undefined) {
    throw new UriTemplateError(
      `URI template variable "${variable.name}:${maxCharacters}" takes text, not a list; drop ":${maxCharacters}" or pass a string.`,
    );
  }
  if (isList(value)) {
    const items = value.map((item) => encode(item));
    if (variable.explode) return items.map(withName);
    return items.length === 0 ? [] : [withName(items.join(","))];
  }
  const entries = Object.entries(value).map(([key, item]) => [encode(key), encode(item)] as const);
  if (!variable.explode) return entries.length === 0 ? [] : [withName(entries.flat().join(","))];
  return entries.map(([key, item]) => (notation.named ? writeNamed(key, item, notation) : `${key}=${item}`));
}

function writeNamed(name: string, text: string, notation: Notation): string {
  return text === "" ? name + notation.ifEmpty : `${name}=${text}`;
}

function isList(value: TemplateValue): value is readonly string[] {
  return Array.isArray(value);
}

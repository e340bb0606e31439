import { isObject, type JsonObject } from "../lib/json.ts";
import { didYouMean } from "../lib/text/did-you-mean.ts";
import { mapSubschemas } from "../schema/subschemas.ts";

/** A probable slip in a schema. With an `isCertain` one, no value fits. */
export interface SchemaTypo {
  readonly problem: string;
  readonly isCertain: boolean;
}

/** Slips of one schema that are named, and unknown keywords that are looked at. */
const maxTypos = 5;
const maxUnknown = 200;

const words = (text: string) => text.trim().split(/\s+/);

/** The keywords of all drafts. */
const keywords = words(`
  $schema $id $ref $anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor $vocabulary $comment $defs id definitions
  type enum const title description default deprecated readOnly writeOnly examples format multipleOf maximum minimum
  exclusiveMaximum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems maxContains minContains
  maxProperties minProperties required dependentRequired dependencies dependentSchemas allOf anyOf oneOf not if then else
  prefixItems items additionalItems contains properties patternProperties additionalProperties propertyNames
  unevaluatedItems unevaluatedProperties contentEncoding contentMediaType contentSchema`);

/** Keywords of other vocabularies that are close to one of JSON Schema. */
const others = new Set(
  words("example nullable optional enumNames propertyOrder order tags formats requires"),
);

/** The probable slips in a schema and the schemas in it. An unknown keyword alone is none: it may be an annotation. */
export function findSchemaTypos(schema: JsonObject): SchemaTypo[] {
  const typos: SchemaTypo[] = [];
  let unknown = 0;
  const visit = (part: unknown, path: string): unknown => {
    if (!isObject(part) || typos.length >= maxTypos) return part;
    const at = path === "" ? "" : ` at ${path}`;
    for (const keyword of Object.keys(part)) {
      if (keywords.includes(keyword) || others.has(keyword) || unknown++ > maxUnknown) continue;
      const hint = hintAt(keyword);
      if (hint !== "")
        typos.push({
          problem: `the keyword ${JSON.stringify(keyword)}${at} has no effect${hint}`,
          isCertain: false,
        });
    }
    typos.push(...findMissing(part, at));
    return mapSubschemas(part, (inner, step) =>
      visit(inner, path === "" || step === "" ? path + step : `${path}.${step}`),
    );
  };
  visit(schema, "");
  return typos.slice(0, maxTypos);
}

/** A keyword that goes on after one of JSON Schema, as `enumDescriptions`, is an annotation. */
function hintAt(keyword: string): string {
  const lower = keyword.toLowerCase();
  const close = keywords.filter((known) => {
    const other = known.toLowerCase();
    const isContinued = lower.startsWith(other) || other.startsWith(lower);
    return !isContinued || Math.abs(lower.length - other.length) <= 1;
  });
  return didYouMean(keyword, close);
}

/** Keywords by which a property may be described elsewhere than in `properties`. */
const elsewhere = words("$ref $dynamicRef allOf anyOf oneOf if then else dependentSchemas patternProperties");

function findMissing(schema: JsonObject, at: string): SchemaTypo[] {
  const { required, properties, additionalProperties, patternProperties } = schema;
  if (!Array.isArray(required) || !isObject(properties)) return [];
  const isCertain = additionalProperties === false && patternProperties === undefined;
  if (!isCertain && elsewhere.some((keyword) => keyword in schema)) return [];
  // A schema for further properties describes them.
  if (isObject(additionalProperties)) return [];
  const names = Object.keys(properties);
  const missing = required.filter((name) => typeof name === "string" && !Object.hasOwn(properties, name));
  return missing.slice(0, maxTypos).map((name: string) => {
    const end = isCertain ? ", and no others are allowed, so that nothing fits" : "";
    const hint = didYouMean(name, names);
    const problem = `${JSON.stringify(name.slice(0, 100))} is required${at} and not in the properties${end}${hint}`;
    return { problem, isCertain };
  });
}

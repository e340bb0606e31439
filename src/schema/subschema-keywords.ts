/** Keywords that hold subschemas; everything else is data, even if it looks like a schema. */
export const singleSubschemaKeywords: ReadonlySet<string> = words(
  "additionalItems additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems unevaluatedProperties",
);
export const subschemaListKeywords: ReadonlySet<string> = words("allOf anyOf items oneOf prefixItems");
export const subschemaMapKeywords: ReadonlySet<string> = words(
  "$defs definitions dependencies dependentSchemas patternProperties properties",
);

function words(text: string): Set<string> {
  return new Set(text.split(" "));
}

import { SchemaConversionError } from "../error.ts";

const hints: Readonly<Record<string, string>> = {
  date: "take an ISO string, and make the date in a transform",
  bigint: "take a number, or a string of digits",
  map: "use a record",
  set: "use an array",
  undefined: "make the property optional",
  transform: "say what comes out by piping it into a schema",
};

/** The error for a kind of schema that has no JSON Schema. */
export function unrepresentable(kind: string, path: string): SchemaConversionError {
  const where = path ? `"${path}"` : "the root";
  const hint = hints[kind.toLowerCase()];
  return new SchemaConversionError(`The ${kind} at ${where} has no JSON Schema${hint ? `: ${hint}` : ""}.`);
}

/** The mark of a part that a library could not convert. */
export const unrepresentableMark = "~refused";

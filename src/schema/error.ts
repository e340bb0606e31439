/** A schema given by this program's author can't be turned into JSON Schema; the message says what and where. */
export class SchemaConversionError extends Error {
  readonly code = "schema-conversion";
  override name = "SchemaConversionError";
}

export type SchemaRefusalReason =
  | "too-large"
  | "too-deep"
  | "too-many-subschemas"
  | "malformed"
  | "remote-ref"
  | "unresolved-ref"
  | "cyclic-ref"
  | "bad-pattern"
  | "pattern-engine-not-loaded"
  | "unsupported-dialect";

/** A JSON Schema that this library will not validate against. */
export class SchemaRefusedError extends Error {
  readonly code = "schema-refused";
  override name = "SchemaRefusedError";
  readonly reason: SchemaRefusalReason;

  constructor(reason: SchemaRefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

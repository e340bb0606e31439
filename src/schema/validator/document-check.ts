import { isObject } from "../../lib/json.ts";
import { SchemaRefusedError } from "../error.ts";
import type { JsonSchema } from "../json-schema.ts";
import { assertWithinBudget, type SchemaBudget } from "./budget.ts";
import { SchemaDocument } from "./document.ts";
import { arrayAt, entriesAt, malformed, namesAt, numberAt, stringAt } from "./keyword.ts";
import type { CompilePattern } from "./pattern.ts";

/**
 * Reads a schema as a document; throws `SchemaRefusedError` for one that can't or must not be used.
 *
 * The compiler trusts a document that was read here, so that schemas are refused where they are written, long before
 * there is a value to validate.
 */
export function readDocument(
  schema: JsonSchema | boolean,
  limits: SchemaBudget,
  compilePattern: CompilePattern,
): SchemaDocument {
  const root = typeof schema === "boolean" ? (schema ? {} : { not: {} }) : schema;
  if (!isObject(root)) throw new SchemaRefusedError("malformed", "A schema must be an object or a boolean.");
  assertWithinBudget(root, limits);
  const document = new SchemaDocument(root, limits, compilePattern);
  new DocumentCheck(document).check();
  return document;
}

/** A subschema that is used. */
interface Node {
  /** Nodes applied to the very same value: a cycle among them would never end. */
  inPlace?: Node[];
  state: "new" | "checked" | "open" | "ends";
}

/** Checks the subschemas of a document that are used, each once. */
class DocumentCheck {
  readonly document: SchemaDocument;
  readonly #nodes = new Map<unknown, Node>();

  constructor(document: SchemaDocument) {
    this.document = document;
  }

  check(): void {
    this.child(this.document.root);
    // The map grows while references found on the way are checked.
    for (const schema of this.#nodes.keys()) this.child(schema);
    for (const node of this.#nodes.values()) assertEnds(node, 0);
  }

  /** Checks a subschema for a member of the value. */
  child(schema: unknown): Node {
    const node = this.#node(schema);
    if (node.state !== "new") return node;
    node.state = "checked";
    if (isObject(schema)) this.#checkKeywords(schema);
    else if (typeof schema !== "boolean")
      throw new SchemaRefusedError("malformed", "A subschema must be an object or a boolean.");
    return node;
  }

  /** Checks a subschema of `from` for the value itself. */
  inPlace(schema: unknown, from: JsonSchema): void {
    this.#link(this.child(schema), from);
  }

  /** Notes what a reference names, to be checked later: a chain of references must not become a chain of calls. */
  reference(schema: unknown, from?: JsonSchema): void {
    const node = this.#node(schema);
    if (from) this.#link(node, from);
  }

  #checkKeywords(schema: JsonSchema): void {
    const isAlone = this.document.dialect.refStandsAlone && schema.$ref !== undefined;
    for (const keyword in schema) {
      const isUsed = !isAlone || keyword === "$ref";
      if (isUsed && Object.hasOwn(keywordChecks, keyword)) keywordChecks[keyword]?.(schema, this, keyword);
    }
  }

  #link(node: Node, from: JsonSchema): void {
    const owner = this.#node(from);
    owner.inPlace ??= [];
    owner.inPlace.push(node);
  }

  #node(schema: unknown): Node {
    const known = this.#nodes.get(schema);
    if (known) return known;
    const node: Node = { state: "new" };
    this.#nodes.set(schema, node);
    return node;
  }
}

type KeywordCheck = (schema: JsonSchema, checking: DocumentCheck, keyword: string) => void;

const isNumber: KeywordCheck = (schema, _, keyword) => void numberAt(schema, keyword);

const isSubschema: KeywordCheck = (schema, checking, keyword) => void checking.child(schema[keyword]);

const areAlternatives: KeywordCheck = (schema, checking, keyword) => {
  for (const part of arrayAt(schema, keyword)) checking.inPlace(part, schema);
};

const type: KeywordCheck = (schema) => {
  const names: readonly unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (names.every((name) => typeNames.includes(name))) return;
  throw malformed("type", `one of ${typeNames.join(", ")}`);
};
const typeNames: readonly unknown[] = ["string", "number", "integer", "boolean", "null", "array", "object"];

const items: KeywordCheck = (schema, checking) => {
  const { itemsByPosition } = checking.document.dialect;
  const inList = itemsByPosition && Array.isArray(schema.items);
  const first = inList ? arrayAt(schema, "items") : itemsByPosition ? [] : arrayAt(schema, "prefixItems");
  const rest = inList ? schema.additionalItems : schema.items;
  for (const item of [...first, ...(rest === undefined ? [] : [rest])]) checking.child(item);
};

const contains: KeywordCheck = (schema, checking) => {
  checking.child(schema.contains);
  for (const keyword of ["minContains", "maxContains"])
    if (schema[keyword] !== undefined) numberAt(schema, keyword);
};

const properties: KeywordCheck = (schema, checking) => {
  for (const [, member] of entriesAt(schema, "properties")) checking.child(member);
  for (const [source, member] of entriesAt(schema, "patternProperties")) {
    checking.document.pattern(source);
    checking.child(member);
  }
  if (schema.additionalProperties !== undefined) checking.child(schema.additionalProperties);
};

const dependencies: KeywordCheck = (schema, checking, keyword) => {
  for (const [key, needed] of entriesAt(schema, keyword)) {
    if (Array.isArray(needed)) namesAt({ [key]: needed }, key);
    else checking.inPlace(needed, schema);
  }
};

const condition: KeywordCheck = (schema, checking) => {
  for (const part of [schema.if, schema.then ?? true, schema.else ?? true]) checking.inPlace(part, schema);
};

const dynamicReference: KeywordCheck = (schema, checking) => {
  const target = checking.document.resolveDynamic(stringAt(schema, "$dynamicRef"), schema);
  // Only a run shows which one applies, so a loop is left to the budget.
  if (target instanceof Map) for (const anchor of target.values()) checking.reference(anchor);
  else checking.reference(target, schema);
};

const reference: KeywordCheck = (schema, checking) =>
  checking.reference(checking.document.resolve(stringAt(schema, "$ref"), schema), schema);

const refuseRecursion: KeywordCheck = () => {
  throw new SchemaRefusedError("unsupported-dialect", "$recursiveRef is not supported.");
};

const keywordChecks: Readonly<Record<string, KeywordCheck>> = {
  type,
  enum: (schema) => void arrayAt(schema, "enum"),
  pattern: (schema, { document }) => void document.pattern(stringAt(schema, "pattern")),
  items,
  prefixItems: items,
  contains,
  required: (schema) => void namesAt(schema, "required"),
  properties,
  patternProperties: properties,
  additionalProperties: properties,
  dependencies,
  dependentRequired: dependencies,
  dependentSchemas: dependencies,
  not: (schema, checking) => checking.inPlace(schema.not, schema),
  if: condition,
  $ref: reference,
  $dynamicRef: dynamicReference,
  $recursiveRef: refuseRecursion,
  allOf: areAlternatives,
  anyOf: areAlternatives,
  oneOf: areAlternatives,
  propertyNames: isSubschema,
  unevaluatedItems: isSubschema,
  unevaluatedProperties: isSubschema,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: isNumber,
  minLength: isNumber,
  maxLength: isNumber,
  minItems: isNumber,
  maxItems: isNumber,
  minProperties: isNumber,
  maxProperties: isNumber,
};

/** Refuses a schema that would apply itself to the same value indefinitely. */
function assertEnds(node: Node, depth: number): void {
  if (node.state === "ends") return;
  if (node.state === "open") {
    throw new SchemaRefusedError(
      "cyclic-ref",
      "A reference leads back to itself without descending into the value.",
    );
  }
  if (depth > 250) throw new SchemaRefusedError("too-deep", "References follow each other too often.");
  node.state = "open";
  for (const next of node.inPlace ?? []) assertEnds(next, depth + 1);
  node.state = "ends";
}

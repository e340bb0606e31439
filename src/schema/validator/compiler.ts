import { SchemaRefusedError } from "../error.ts";
import { isObject, type JsonSchema } from "../json-schema.ts";
import { ARRAY } from "./array.ts";
import { COMBINE } from "./combine.ts";
import { SchemaDocument } from "./document.ts";
import type { Compile, Compiling } from "./keyword.ts";
import { LIMIT } from "./limit.ts";
import type { SchemaLimits } from "./limits.ts";
import { OBJECT } from "./object.ts";
import type { CompilePattern, Matches } from "./pattern.ts";
import { REFERENCE } from "./ref.ts";
import type { Check } from "./run.ts";
import { Seen } from "./seen.ts";
import { UNEVALUATED } from "./unevaluated.ts";
import { VALUE } from "./value.ts";

/** A subschema being compiled; recursion reaches it before its check is ready. */
interface Node {
  check?: Check;
  /** Nodes applied to the very same value: a cycle among them would never end. */
  inPlace?: Node[];
  state: "new" | "compiled" | "open" | "ends";
}

const COMPILE = new Map(
  Object.entries({ ...VALUE, ...LIMIT, ...ARRAY, ...OBJECT, ...REFERENCE, ...COMBINE, ...UNEVALUATED }),
);

/** `items` speaks for `prefixItems` too, and `properties` for its companions: they are compiled once. */
const TOGETHER: readonly (Compile | undefined)[] = [ARRAY.items, OBJECT.properties];

/** Turns the subschemas of one document into checks, each once. */
export class Compiler implements Compiling {
  readonly document: SchemaDocument;
  readonly #nodes = new Map<unknown, Node>();
  readonly #patterns = new Map<string, Matches>();
  readonly #compilePattern: CompilePattern;

  constructor(root: JsonSchema, limits: SchemaLimits, compilePattern: CompilePattern) {
    this.document = new SchemaDocument(root, limits);
    this.#compilePattern = compilePattern;
  }

  compile(root: JsonSchema): Check {
    const check = this.child(root);
    // The map grows while references found on the way are compiled.
    for (const schema of this.#nodes.keys()) this.child(schema);
    for (const node of this.#nodes.values()) assertEnds(node, 0);
    return check;
  }

  child(schema: unknown): Check {
    return checkOf(this.#compiled(schema));
  }

  inPlace(schema: unknown, from: JsonSchema): Check {
    return this.#link(this.#compiled(schema), from);
  }

  reference(schema: unknown, from?: JsonSchema): Check {
    return this.#link(this.#node(schema), from);
  }

  pattern(source: string): Matches {
    const known = this.#patterns.get(source);
    if (known) return known;
    const matches = this.#compilePattern(source);
    this.#patterns.set(source, matches);
    return matches;
  }

  #link(node: Node, from: JsonSchema | undefined): Check {
    if (from) {
      const owner = this.#node(from);
      owner.inPlace ??= [];
      owner.inPlace.push(node);
    }
    return checkOf(node);
  }

  #node(schema: unknown): Node {
    const known = this.#nodes.get(schema);
    if (known) return known;
    const node: Node = { state: "new" };
    this.#nodes.set(schema, node);
    return node;
  }

  #compiled(schema: unknown): Node {
    const node = this.#node(schema);
    if (node.state !== "new") return node;
    node.state = "compiled";
    if (typeof schema === "boolean") node.check = schema ? allow : deny;
    else if (isObject(schema)) node.check = this.#compileObject(schema);
    else throw new SchemaRefusedError("malformed", "A subschema must be an object or a boolean.");
    return node;
  }

  #compileObject(schema: JsonSchema): Check {
    const { document } = this;
    const alone = document.dialect.refStandsAlone && schema.$ref !== undefined;
    const checks: Check[] = [];
    const last: Check[] = [];
    const done: Compile[] = [];
    for (const keyword in schema) {
      const compile = COMPILE.get(keyword);
      if (!compile || (alone && keyword !== "$ref") || done.includes(compile)) continue;
      if (TOGETHER.includes(compile)) done.push(compile);
      (keyword in UNEVALUATED ? last : checks).push(compile(schema, this, keyword));
    }
    const home = document.homeOf(schema);
    return (value, run) => {
      run.enter();
      const outer = run.seen;
      if (document.tracksEvaluation) run.seen = new Seen();
      const enters = document.hasDynamicRef && run.scope.at(-1) !== home;
      if (enters) run.scope.push(home);
      let ok = true;
      for (const check of checks) {
        if (check(value, run)) continue;
        ok = false;
        if (!run.issues) break;
      }
      for (const check of last) ok &&= check(value, run);
      if (enters) run.scope.pop();
      if (ok && outer && run.seen) {
        run.spend(run.seen.size >> 2);
        outer.add(run.seen);
      }
      run.seen = outer;
      run.leave();
      return ok;
    };
  }
}

const allow: Check = (_, run) => {
  run.spend(1);
  return true;
};
const deny: Check = (_, run) => {
  run.spend(1);
  return run.fail("is not allowed");
};

function checkOf(node: Node): Check {
  return node.check ?? ((value, run) => (node.check as Check)(value, run));
}

/** Refuses a schema that would apply itself to the same value for ever. */
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

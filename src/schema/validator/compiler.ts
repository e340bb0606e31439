import { isObject } from "../../lib/json.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { SchemaDocument } from "./document.ts";
import { Evaluated } from "./evaluated.ts";
import type { CompileKeyword, KeywordContext } from "./keyword.ts";
import { arrayKeywords } from "./keywords/array.ts";
import { boundKeywords } from "./keywords/bounds.ts";
import { compositionKeywords } from "./keywords/composition.ts";
import { objectKeywords } from "./keywords/object.ts";
import { referenceKeywords } from "./keywords/reference.ts";
import { unevaluatedKeywords } from "./keywords/unevaluated.ts";
import { valueKeywords } from "./keywords/value.ts";
import type { SchemaCheck, ValidationRun } from "./run.ts";

/** A subschema being compiled; recursion reaches it before its check is ready. */
interface Node {
  check?: SchemaCheck;
  isCompiled: boolean;
}

/** Keywords that come first: the parts of a value that is too large, or of another type, are not looked at. */
const gates = new Set([...Object.keys(valueKeywords), "maxLength", "maxItems", "maxProperties"]);

const keywordTable = new Map(
  Object.entries({
    ...valueKeywords,
    ...boundKeywords,
    ...arrayKeywords,
    ...objectKeywords,
    ...referenceKeywords,
    ...compositionKeywords,
    ...unevaluatedKeywords,
  }),
);

/** `items` speaks for `prefixItems` too, and `properties` for its companions: they are compiled once. */
const together: readonly (CompileKeyword | undefined)[] = [arrayKeywords.items, objectKeywords.properties];

/** Turns the subschemas of a document that was checked into functions, each once. */
export class Compiler implements KeywordContext {
  readonly document: SchemaDocument;
  readonly #nodes = new Map<unknown, Node>();

  constructor(document: SchemaDocument) {
    this.document = document;
  }

  compile(): SchemaCheck {
    const check = this.child(this.document.root);
    // The map grows while references found on the way are compiled.
    for (const schema of this.#nodes.keys()) this.child(schema);
    return check;
  }

  child(schema: unknown): SchemaCheck {
    const node = this.#node(schema);
    if (!node.isCompiled) {
      node.isCompiled = true;
      node.check = isObject(schema) ? this.#compileObject(schema) : schema ? allow : deny;
    }
    return checkOf(node);
  }

  reference(schema: unknown): SchemaCheck {
    return checkOf(this.#node(schema));
  }

  #node(schema: unknown): Node {
    const known = this.#nodes.get(schema);
    if (known) return known;
    const node: Node = { isCompiled: false };
    this.#nodes.set(schema, node);
    return node;
  }

  #compileObject(schema: JsonSchema): SchemaCheck {
    const { document } = this;
    const alone = document.dialect.refStandsAlone && schema.$ref !== undefined;
    const first: SchemaCheck[] = [];
    const inner: SchemaCheck[] = [];
    const last: SchemaCheck[] = [];
    const done: CompileKeyword[] = [];
    for (const keyword in schema) {
      const compile = keywordTable.get(keyword);
      if (!compile || (alone && keyword !== "$ref") || done.includes(compile)) continue;
      if (together.includes(compile)) done.push(compile);
      const stage = gates.has(keyword) ? first : keyword in unevaluatedKeywords ? last : inner;
      stage.push(compile(schema, this, keyword));
    }
    const home = document.homeOf(schema);
    return (value, run) => {
      run.enter();
      const outer = run.evaluated;
      if (document.tracksEvaluation) run.evaluated = new Evaluated();
      const enters = document.hasDynamicRef && run.scope.at(-1) !== home;
      if (enters) run.scope.push(home);
      let ok = holdAll(first, value, run) && holdAll(inner, value, run);
      for (const check of last) ok &&= check(value, run);
      if (enters) run.scope.pop();
      if (ok && outer && run.evaluated) {
        run.spend(run.evaluated.size >> 2);
        outer.add(run.evaluated);
      }
      run.evaluated = outer;
      run.leave();
      return ok;
    };
  }
}

/** Runs checks; all of them where issues are collected, else up to the first that fails. */
function holdAll(checks: readonly SchemaCheck[], value: unknown, run: ValidationRun): boolean {
  let ok = true;
  for (const check of checks) {
    if (check(value, run)) continue;
    ok = false;
    if (!run.issues) break;
  }
  return ok;
}

const allow: SchemaCheck = (_, run) => {
  run.spend(1);
  return true;
};
const deny: SchemaCheck = (_, run) => {
  run.spend(1);
  return run.fail("is not allowed");
};

function checkOf(node: Node): SchemaCheck {
  return node.check ?? ((value, run) => (node.check as SchemaCheck)(value, run));
}

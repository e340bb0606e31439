import { RegistrationError } from "../../errors.ts";
import { isObject } from "../../lib/json.ts";
import { findOptionProblem, type OptionKind } from "../../lib/option-check.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import { type PromptDefinition, promptOptionKinds } from "./prompt.ts";
import { type ResourceDefinition, resourceOptionKinds } from "./resource.ts";
import { type ToolDefinition, toolOptionKinds } from "./tool.ts";

export type Definition = ToolDefinition | ResourceDefinition | PromptDefinition;

interface DefinitionKind {
  readonly options: { readonly [name: string]: OptionKind };
  /** The option that holds the schema of the arguments. */
  readonly schema?: string;
}

const definitionKinds: ReadonlyMap<unknown, DefinitionKind> = new Map([
  ["tool", { options: toolOptionKinds, schema: "input" }],
  ["resource", { options: resourceOptionKinds }],
  ["prompt", { options: promptOptionKinds, schema: "args" }],
]);

/** Checks at registration what JavaScript callers get past the types; it would fail, or be ignored, at the first call. */
export function assertDefinition(given: unknown): asserts given is Definition {
  const { kind, name, uri, options, handler } = Object(given);
  const expected = definitionKinds.get(kind);
  if (expected === undefined) {
    throw new RegistrationError(
      `${describeValue(given)} is not a tool, a resource or a prompt; make it with tool(name, options, handler), or with resource or prompt.`,
    );
  }
  const [noun, key] = kind === "resource" ? ["URI", uri] : ["name", name];
  if (typeof key !== "string")
    throw new RegistrationError(`A ${kind} needs a ${noun} that is a string, not ${describeValue(key)}.`);
  const what = `The ${kind} "${key}"`;
  if (typeof options === "function" && handler === undefined) {
    throw new RegistrationError(
      `${what} takes options before its handler; write {} if there are none: ${kind}("${key}", {}, handler).`,
    );
  }
  if (typeof handler !== "function") {
    throw new RegistrationError(
      `${what} needs a handler function as its last argument: ${kind}("${key}", options, handler).`,
    );
  }
  assertOptionsOf(what, options, expected);
}

function assertOptionsOf(what: string, options: unknown, { options: kinds, schema }: DefinitionKind): void {
  if (typeof options === "string") {
    const text = describeValue(options);
    throw new RegistrationError(`${what} takes options, not a string; write { description: ${text} }.`);
  }
  const problem = findOptionProblem(what, options, kinds);
  if (problem === undefined) return;
  const hint = schema && hasSchema(options) ? ` A schema of arguments is the option "${schema}".` : "";
  throw new RegistrationError(problem + hint);
}

/** True for a schema, or an object of schemas, in place of options. */
function hasSchema(options: unknown): boolean {
  if (typeof options === "function") return true;
  if (!isObject(options)) return false;
  const isStandard = (value: unknown) => Object(value)["~standard"] !== undefined;
  return isStandard(options) || Object.values(options).some(isStandard) || options.type === "object";
}

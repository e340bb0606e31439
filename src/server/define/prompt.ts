import { RegistrationError } from "../../errors.ts";
import { isPromise, type MaybePromise } from "../../lib/async/maybe-promise.ts";
import type { JsonObject } from "../../lib/json.ts";
import { isObject } from "../../lib/json.ts";
import type { OptionKinds } from "../../lib/option-check.ts";
import type { ContentBlock } from "../../protocol/model/content.ts";
import type { Icon } from "../../protocol/model/identity.ts";
import type { InputRequired } from "../../protocol/model/input-required.ts";
import type { GetPromptResult, Prompt, PromptArgument, PromptMessage } from "../../protocol/model/prompt.ts";
import type { SchemaInput } from "../../schema/compile.ts";
import { type CompiledSchema, compileSchema } from "../../schema/compile.ts";
import { withConverters } from "../../schema/convert/convert.ts";
import type { InferInput, InferOutput } from "../../schema/infer.ts";
import { type AccessOptions, accessOptionKinds } from "../access.ts";
import type { Context } from "../context/context.ts";
import { assertCompleters, type Completer } from "./completion.ts";
import { rethrowAsRegistrationError } from "./registration-error.ts";
import type { NoSchema } from "./tool.ts";

export interface PromptOptions<Args extends SchemaInput = SchemaInput> extends AccessOptions {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** The arguments by name. On the wire they are all strings. */
  readonly args?: Args | undefined;
  readonly icons?: readonly Icon[] | undefined;
  readonly meta?: JsonObject | undefined;
  /** Suggestions for arguments, by name. */
  readonly complete?: { readonly [argument: string]: Completer } | undefined;
}

export const promptOptionKinds: OptionKinds<PromptOptions> = {
  ...accessOptionKinds,
  title: "string",
  description: "string",
  args: "object|function",
  icons: "array",
  meta: "object",
  complete: "object",
};

/** The return value of a handler. Text or content becomes one message of the user. */
export type PromptReturn = string | ContentBlock | readonly PromptMessage[] | GetPromptResult | InputRequired;

export type PromptHandler<Args extends SchemaInput> = (
  args: InferOutput<Args>,
  ctx: Context,
) => PromptReturn | Promise<PromptReturn>;

/** A prompt as a value. */
export interface PromptDefinition<Name extends string = string, Args extends SchemaInput = SchemaInput> {
  readonly kind: "prompt";
  readonly name: Name;
  readonly options: PromptOptions<Args>;
  readonly handler: (args: never, ctx: Context) => unknown;
}

/** Defines a prompt. */
export function prompt<const Name extends string, Args extends SchemaInput = NoSchema>(
  name: Name,
  options: PromptOptions<Args>,
  handler: PromptHandler<Args>,
): PromptDefinition<Name, Args> {
  return { kind: "prompt", name, options, handler };
}

/** The types of a list of prompts by name, for `connect<typeof server>`; unknown where the names are. */
export type PromptTypesOf<Prompts extends readonly PromptDefinition[]> =
  string extends Prompts[number]["name"]
    ? unknown
    : {
        readonly [Item in Prompts[number] as Item["name"]]: Item extends PromptDefinition<string, infer Args>
          ? AsStrings<InferInput<Args>>
          : never;
      };

/** The arguments as they are on the wire, where all are strings. */
type AsStrings<Args> = {
  readonly [Name in keyof Args]: Args[Name] extends string | undefined ? Args[Name] : string;
};

export interface CompiledPrompt {
  readonly listed: Prompt;
  readonly options: PromptOptions;
  readonly args: CompiledSchema | undefined;
  readonly run: (args: unknown, ctx: Context) => unknown;
}

/** Compiles a prompt; a promise only if a converter for its arguments has to be loaded. */
export function compilePrompt(definition: PromptDefinition): MaybePromise<CompiledPrompt> {
  const { name, options } = definition;
  if (name === "") throw new RegistrationError("A prompt needs a name.");
  return withConverters([options.args], () => toCompiled(definition));
}

function toCompiled(definition: PromptDefinition): CompiledPrompt {
  const { name, options } = definition;
  const args = compileArguments(definition);
  const described = args && toArguments(args.jsonSchema);
  assertCompleters(`The prompt "${name}"`, options.complete, described?.map((arg) => arg.name) ?? []);
  const { title, description, icons, meta } = options;
  const listed: Prompt = {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(described && { arguments: described }),
    ...(icons && { icons }),
    ...(meta && { _meta: meta }),
  };
  return { listed, options, args, run: definition.handler as CompiledPrompt["run"] };
}

function compileArguments({ name, options }: PromptDefinition): CompiledSchema | undefined {
  const { args } = options;
  if (args === undefined) return undefined;
  const problem = `Prompt "${name}" has arguments that can't be used`;
  const compiled = rethrowAsRegistrationError(problem, () => compileSchema(args, "input"));
  assertTakesStrings(name, compiled);
  return compiled;
}

/** Strings that a schema for something else than a string accepts, if it converts strings. */
const samples = ["1", "0", "-1", "10", "1000", "1000000", "0.5", "true", "1999-12-31", "[]", "{}", "null"];

/**
 * Throws RegistrationError for an argument that accepts no string, since on the wire all are strings:
 * schema#getpromptrequestparams (2025-11-25). `z.coerce.number()` and the like convert them.
 */
function assertTakesStrings(prompt: string, { jsonSchema, converts, validate }: CompiledSchema): void {
  for (const [name, property] of Object.entries(
    isObject(jsonSchema.properties) ? jsonSchema.properties : {},
  )) {
    const type = isObject(property) ? property.type : undefined;
    if (type === undefined || [type].flat().includes("string")) continue;
    const isRefused = (sample: string) => {
      const checked = validate({ [name]: sample });
      if (!isPromise(checked)) return !checked.ok && checked.issues.some(({ path }) => path === name);
      checked.catch(() => {});
      return false;
    };
    if (converts && !samples.every(isRefused)) continue;
    throw new RegistrationError(
      `Prompt "${prompt}" has the argument "${name}" of type ${type}, but arguments of prompts are strings; use a string, or convert it (z.coerce.${type}() in zod).`,
    );
  }
}

function toArguments(schema: JsonObject): PromptArgument[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([name, property]) => {
    const { title, description } = isObject(property) ? property : {};
    return {
      name,
      ...(typeof title === "string" && { title }),
      ...(typeof description === "string" && { description }),
      required: required.includes(name),
    };
  });
}

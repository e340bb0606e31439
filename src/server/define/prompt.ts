import { RegistrationError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import type { JsonObject } from "../../lib/json.ts";
import { isObject } from "../../lib/json.ts";
import type { ContentBlock } from "../../protocol/model/content.ts";
import type { Icon } from "../../protocol/model/identity.ts";
import type { InputRequired } from "../../protocol/model/input-required.ts";
import type { GetPromptResult, Prompt, PromptArgument, PromptMessage } from "../../protocol/model/prompt.ts";
import type { SchemaInput } from "../../schema/compile.ts";
import { type CompiledSchema, compileSchema } from "../../schema/compile.ts";
import { withConverters } from "../../schema/convert/convert.ts";
import type { InferOutput } from "../../schema/infer.ts";
import type { AccessOptions } from "../access.ts";
import type { Context } from "../context/context.ts";
import type { Completer } from "./completion.ts";
import { isInputRequired } from "./input-required.ts";
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

/** The return value of a handler. Text or content becomes one message of the user. */
export type PromptReturn = string | ContentBlock | readonly PromptMessage[] | GetPromptResult | InputRequired;

export type PromptHandler<Args extends SchemaInput> = (
  args: InferOutput<Args>,
  ctx: Context,
) => PromptReturn | Promise<PromptReturn>;

/** A prompt as a value. */
export interface PromptDefinition {
  readonly kind: "prompt";
  readonly name: string;
  readonly options: PromptOptions;
  readonly handler: (args: never, ctx: Context) => unknown;
}

/** Defines a prompt. */
export function prompt<Args extends SchemaInput = NoSchema>(
  name: string,
  options: PromptOptions<Args>,
  handler: PromptHandler<Args>,
): PromptDefinition {
  return { kind: "prompt", name, options, handler };
}

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
  const { title, description, icons, meta } = options;
  const listed: Prompt = {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(args && { arguments: toArguments(args.jsonSchema) }),
    ...(icons && { icons }),
    ...(meta && { _meta: meta }),
  };
  return { listed, options, args, run: definition.handler as CompiledPrompt["run"] };
}

function compileArguments({ name, options }: PromptDefinition): CompiledSchema | undefined {
  const { args } = options;
  if (args === undefined) return undefined;
  const problem = `Prompt "${name}" has arguments that can't be used`;
  return rethrowAsRegistrationError(problem, () => compileSchema(args, "input"));
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

/** Makes a `prompts/get` result of a handler's return value. */
export function toPromptResult(prompt: CompiledPrompt, returned: unknown): JsonObject {
  if (isInputRequired(returned)) return returned;
  const { description } = prompt.options;
  const described = description === undefined ? {} : { description };
  if (isObject(returned) && Array.isArray(returned.messages)) return { ...described, ...returned };
  return { ...described, messages: toMessages(returned) };
}

function toMessages(returned: unknown): readonly PromptMessage[] {
  if (Array.isArray(returned)) return returned as PromptMessage[];
  const content: ContentBlock =
    typeof returned === "string" ? { type: "text", text: returned } : (returned as ContentBlock);
  return [{ role: "user", content }];
}

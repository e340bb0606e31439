import { RegistrationError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { OptionKinds } from "../../lib/option-check.ts";
import { findParamHeaders, type ParamHeader } from "../../protocol/headers/param-headers.ts";
import type { ContentBlock } from "../../protocol/model/content.ts";
import type { Icon } from "../../protocol/model/identity.ts";
import type { InputRequired } from "../../protocol/model/input-required.ts";
import type { CallToolResult, Tool, ToolAnnotations, ToolInputSchema } from "../../protocol/model/tool.ts";
import { type CompiledSchema, compileSchema, type SchemaInput } from "../../schema/compile.ts";
import { withConverters } from "../../schema/convert/convert.ts";
import type { InferInput, InferOutput } from "../../schema/infer.ts";
import { type AccessOptions, accessOptionKinds } from "../access.ts";
import type { Context } from "../context/context.ts";
import { type ToolTaskOptions, toolTaskOptionKinds } from "../tasks/task-options.ts";
import { rethrowAsRegistrationError } from "./registration-error.ts";

/** The schema type of a definition without a schema. */
export type NoSchema = Record<never, never>;

export interface ToolOptions<
  Input extends SchemaInput = SchemaInput,
  Output extends SchemaInput = SchemaInput,
> extends AccessOptions,
    ToolTaskOptions {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** The schema of the arguments: a Standard Schema, an object of them, or JSON Schema. */
  readonly input?: Input | undefined;
  /** The schema of the structured result. The handler's return value is checked against it. */
  readonly output?: Output | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  readonly icons?: readonly Icon[] | undefined;
  readonly meta?: JsonObject | undefined;
  /** The client capabilities without which a call is refused before the handler runs, such as `"sampling"`. */
  readonly needs?: readonly string[] | undefined;
  /**
   * Accepts each `requestState` only once, where a call takes several rounds. Default
   * false: a client that is unsure whether its answer arrived may send it again, and the following
   * steps happen again.
   */
  readonly singleUse?: boolean | undefined;
  /** The treatment of arguments that the schema does not name. Default: the server's. */
  readonly unknownArguments?: UnknownArguments | undefined;
}

export type UnknownArguments = "ignore" | "refuse";

export const unknownArgumentModes: readonly UnknownArguments[] = ["ignore", "refuse"];

export const toolOptionKinds: OptionKinds<ToolOptions> = {
  ...accessOptionKinds,
  ...toolTaskOptionKinds,
  title: "string",
  description: "string",
  input: "object|function",
  output: "object|function",
  annotations: {
    title: "string",
    readOnlyHint: "boolean",
    destructiveHint: "boolean",
    idempotentHint: "boolean",
    openWorldHint: "boolean",
  } satisfies OptionKinds<ToolAnnotations>,
  icons: "array",
  meta: "object",
  needs: "clientCapabilities",
  singleUse: "boolean",
  unknownArguments: unknownArgumentModes,
};

/** The return value of a handler: plain data, or a complete result. */
export type ToolReturn<Output extends SchemaInput> =
  | (NoSchema extends Output ? PlainReturn : InferInput<Output>)
  | CallToolResult
  | InputRequired;

export type PlainReturn =
  | string
  | number
  | boolean
  | null
  | ContentBlock
  | readonly ContentBlock[]
  | object
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing returns void
  | void;

export type ToolHandler<Input extends SchemaInput, Output extends SchemaInput> = (
  args: InferOutput<Input>,
  ctx: Context,
) => ToolReturn<Output> | Promise<ToolReturn<Output>>;

/** A tool as a value, which does nothing until a server has it. */
export interface ToolDefinition<
  Name extends string = string,
  Input extends SchemaInput = SchemaInput,
  Output extends SchemaInput = SchemaInput,
> {
  readonly kind: "tool";
  readonly name: Name;
  readonly options: ToolOptions<Input, Output>;
  readonly handler: (args: never, ctx: Context) => unknown;
}

/** Defines a tool. */
export function tool<
  const Name extends string,
  Input extends SchemaInput = NoSchema,
  Output extends SchemaInput = NoSchema,
>(
  name: Name,
  options: ToolOptions<Input, Output>,
  handler: ToolHandler<Input, Output>,
): ToolDefinition<Name, Input, Output> {
  return { kind: "tool", name, options, handler };
}

/** The types of a list of tools by name, for `connect<typeof server>`. */
export type ToolTypesOf<Tools extends readonly ToolDefinition[]> = {
  readonly [Tool in Tools[number] as Tool["name"]]: Tool extends ToolDefinition<
    string,
    infer Input,
    infer Output
  >
    ? { readonly input: InferInput<Input>; readonly output: InferOutput<Output> }
    : never;
};

/** A tool with its schemas compiled, ready to be listed and called. */
export interface CompiledTool {
  readonly listed: Tool;
  readonly options: ToolOptions;
  readonly input: CompiledSchema | undefined;
  readonly output: CompiledSchema | undefined;
  /** The names that the schema allows; undefined if it allows any. */
  readonly argumentNames: readonly string[] | undefined;
  readonly unknownArguments: UnknownArguments;
  /** The arguments that callers over HTTP repeat in headers: server/tools#x-mcp-header (2026-07-28). */
  readonly mirrored: readonly ParamHeader[];
  readonly run: (args: unknown, ctx: Context) => unknown;
}

const namePattern = /^[A-Za-z0-9_.-]{1,128}$/;

/** Compiles a tool; a promise only if a converter for its schemas has to be loaded. */
export function compileTool(
  definition: ToolDefinition,
  unknownArguments: UnknownArguments,
): MaybePromise<CompiledTool> {
  const { name, options } = definition;
  // server/tools#tool-names (2025-11-25)
  if (!namePattern.test(name)) {
    throw new RegistrationError(
      `Tool name ${JSON.stringify(name)} is not allowed; use 1 to 128 letters, digits, "_", "-" or ".".`,
    );
  }
  const { input, output } = options;
  return withConverters([input, output], () => toCompiled(definition, unknownArguments));
}

function toCompiled(definition: ToolDefinition, unknownArguments: UnknownArguments): CompiledTool {
  const { name, options } = definition;
  const input = options.input && compile(name, options.input, "input");
  const output = options.output && compile(name, options.output, "output");
  return {
    listed: describe(definition, input, output),
    options,
    input,
    output,
    argumentNames: input && closedNames(input.jsonSchema),
    unknownArguments: options.unknownArguments ?? unknownArguments,
    mirrored: input ? mirroredParams(name, input) : [],
    run: definition.handler as CompiledTool["run"],
  };
}

function compile(name: string, schema: SchemaInput, direction: "input" | "output"): CompiledSchema {
  const problem = `Tool "${name}" has an ${direction} schema that can't be used`;
  return rethrowAsRegistrationError(problem, () => compileSchema(schema, direction));
}

function mirroredParams(name: string, input: CompiledSchema): readonly ParamHeader[] {
  const mirroring = findParamHeaders(input.jsonSchema);
  if (mirroring.ok) return mirroring.params;
  throw new RegistrationError(`Tool "${name}" has an input schema that can't be used: ${mirroring.problem}.`);
}

function describe(definition: ToolDefinition, input?: CompiledSchema, output?: CompiledSchema): Tool {
  const { title, description, annotations, icons, meta, task = "never" } = definition.options;
  return {
    name: definition.name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: (input?.jsonSchema ?? { type: "object", additionalProperties: false }) as ToolInputSchema,
    ...(output && { outputSchema: output.jsonSchema }),
    ...(annotations && { annotations }),
    ...(task !== "never" && { execution: { taskSupport: task } }),
    ...(icons && { icons }),
    ...(meta && { _meta: meta }),
  };
}

/** The property names of a schema that lists all of them under `properties`. */
function closedNames(schema: JsonObject): readonly string[] | undefined {
  const open = schema.additionalProperties;
  if (open !== undefined && open !== false) return undefined;
  const elsewhere = ["patternProperties", "$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"];
  if (elsewhere.some((keyword) => keyword in schema)) return undefined;
  return Object.keys((schema.properties as JsonObject | undefined) ?? {});
}

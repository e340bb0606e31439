import type { JsonObject } from "../../lib/json.ts";
import type { InputRequired } from "../../protocol/model/ask.ts";
import type { ContentBlock } from "../../protocol/model/content.ts";
import type { Icon } from "../../protocol/model/identity.ts";
import type { CallToolResult, ToolAnnotations } from "../../protocol/model/tool.ts";
import type { InferInput, InferOutput, SchemaInput } from "../../schema/index.ts";
import type { AccessOptions } from "../access.ts";
import type { Context } from "../context/context.ts";
import type { ToolTaskOptions } from "../tasks/task-options.ts";

/** Stands for "no schema was given". */
export type NoSchema = Record<never, never>;

export interface ToolOptions<
  Input extends SchemaInput = SchemaInput,
  Output extends SchemaInput = SchemaInput,
> extends AccessOptions,
    ToolTaskOptions {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** What the tool takes: a Standard Schema, an object of them, or JSON Schema. */
  readonly input?: Input | undefined;
  /** What its structured result is. What the handler returns is checked against it. */
  readonly output?: Output | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  readonly icons?: readonly Icon[] | undefined;
  readonly meta?: JsonObject | undefined;
  /** Client capabilities without which the tool is refused before it runs, such as `"sampling"`. */
  readonly needs?: readonly string[] | undefined;
  /**
   * Where a call takes several rounds: whether the client may go on only once from where
   * each left it. Default false: a client that is unsure whether its answer came through
   * may send it again, and what follows happens again.
   */
  readonly singleUse?: boolean | undefined;
  /** What to do with arguments the schema does not name. Default: the server's. */
  readonly unknownArguments?: UnknownArguments | undefined;
}

export type UnknownArguments = "ignore" | "refuse";

/** A handler returns what it means; the library makes a result of it. */
export type ToolReturn<Output extends SchemaInput> =
  | (NoSchema extends Output ? PlainReturn : InferInput<Output>)
  | CallToolResult
  | InputRequired;

// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing returns void
export type PlainReturn = string | ContentBlock | readonly ContentBlock[] | object | undefined | void;

export type ToolHandler<Input extends SchemaInput, Output extends SchemaInput> = (
  args: InferOutput<Input>,
  ctx: Context,
) => ToolReturn<Output> | Promise<ToolReturn<Output>>;

/** A tool as a value: inert until a server has it. */
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

/** The types of a list of tools, by name, for a client that is typed by its server. */
export type ToolTypesOf<Tools extends readonly ToolDefinition[]> = {
  readonly [Tool in Tools[number] as Tool["name"]]: Tool extends ToolDefinition<
    string,
    infer Input,
    infer Output
  >
    ? { readonly input: InferInput<Input>; readonly output: InferOutput<Output> }
    : never;
};

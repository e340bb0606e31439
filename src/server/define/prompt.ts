import type { JsonObject } from "../../lib/json.ts";
import type { InputRequired } from "../../protocol/model/ask.ts";
import type { ContentBlock } from "../../protocol/model/content.ts";
import type { Icon } from "../../protocol/model/identity.ts";
import type { GetPromptResult, PromptMessage } from "../../protocol/model/prompt.ts";
import type { InferOutput, SchemaInput } from "../../schema/index.ts";
import type { AccessOptions } from "../access.ts";
import type { Context } from "../context/context.ts";
import type { Completer } from "./completion.ts";
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

/** Text or content becomes one message of the user. */
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

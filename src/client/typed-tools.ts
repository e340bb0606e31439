import type { JsonObject } from "../protocol/json.ts";
import type { CallToolResult, Tool } from "../protocol/model/tool.ts";
import type { ToolTypes, Typed } from "../protocol/typed.ts";
import type { Listing, ListOptions } from "./lists.ts";
import type { CallOptions } from "./requests.ts";

/** The tools of a server that the compiler knows nothing of. */
export interface AnyTools {
  readonly [name: string]: { readonly input: JsonObject; readonly output: unknown };
}

/** The tools of a server value's type, for `connect<typeof server>`. */
export type ToolsOf<Server> = Server extends Typed<infer Tools extends ToolTypes> ? Tools : AnyTools;

export interface ToolResult<Output> extends CallToolResult {
  readonly structuredContent?: Output;
}

/** Arguments may be left out where none are required. */
type CallArguments<Input> =
  Record<never, never> extends Input
    ? [args?: Input, options?: CallOptions]
    : [args: Input, options?: CallOptions];

export interface ClientTools<Tools> {
  list(options?: ListOptions): Listing<Tool>;
  /**
   * Runs a tool.
   *
   * A tool that fails does not throw: its result has `isError` and says why, for the model to read.
   */
  call<Name extends keyof Tools & string>(
    name: Name,
    ...rest: CallArguments<InputOf<Tools[Name]>>
  ): Promise<ToolResult<OutputOf<Tools[Name]>>>;
}

type InputOf<Types> = Types extends { readonly input: infer Input } ? Input : never;
type OutputOf<Types> = Types extends { readonly output: infer Output } ? Output : never;

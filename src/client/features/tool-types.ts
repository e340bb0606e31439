import type { HasToolTypes, ToolTypes } from "../../contract/server-types.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ContentBlock } from "../../protocol/model/content.ts";
import type { InputRequired } from "../../protocol/model/input-required.ts";
import type { CallToolResult, Tool } from "../../protocol/model/tool.ts";
import type { InputRoundOptions } from "../requests.ts";
import type { TaskAugmentation, TaskCallOptions } from "../tasks/task-options.ts";
import type { HeldTool } from "../trust/pin-check.ts";
import type { Listing, ListOptions } from "./paged-list.ts";

/** The tools of a server that the compiler knows nothing of. */
export interface AnyTools {
  readonly [name: string]: { readonly input: JsonObject; readonly output: unknown };
}

/** The tools of a server value's type, for `connect<typeof server>`. */
export type ToolsOf<Server> = Server extends HasToolTypes<infer Tools extends ToolTypes> ? Tools : AnyTools;

/** The result of a tool; has `inputRequests` only if it was called with `rounds: "manual"` and is not finished. */
export interface ToolResult<Output> extends CallToolResult, Partial<Omit<InputRequired, "resultType">> {
  readonly content: ContentBlock[];
  readonly structuredContent?: Output;
}

export interface ToolCallOptions extends TaskCallOptions, InputRoundOptions {
  /**
   * Makes the call a task, in revisions where the client decides that; elsewhere the server does.
   *
   * Default: if the tool was listed as one that must. The result is waited for either way.
   */
  readonly task?: TaskAugmentation | undefined;
  /** The answers to the questions of an unfinished result, by its keys; with `rounds: "manual"`. */
  readonly inputResponses?: JsonObject | undefined;
  /** The `requestState` of the unfinished result, as it came. */
  readonly requestState?: string | undefined;
}

/** The parameters and results of calls, by the name of the tool. */
export type Calls<Tools extends ToolTypes> = {
  readonly [Name in keyof Tools]: {
    /** The parameters after the name: arguments may be left out where none are required. */
    readonly rest: Record<never, never> extends Tools[Name]["input"]
      ? [args?: Tools[Name]["input"], options?: ToolCallOptions]
      : [args: Tools[Name]["input"], options?: ToolCallOptions];
    readonly output: Tools[Name]["output"];
  };
};

interface AnyCalls {
  readonly [name: string]: { readonly rest: readonly unknown[]; readonly output: unknown };
}

export interface ClientTools<Own> {
  /** Exists only for the compiler. */
  readonly "~calls"?: Own;

  list(options?: ListOptions): Listing<Tool>;
  /** Tools that the `pin` option holds back, as last listed. */
  held(): readonly HeldTool[];
  /** Lets a tool through that is held back, as it is now, and remembers it so. */
  approve(name: string): Promise<void>;
  /**
   * Runs a tool.
   *
   * A tool that fails does not throw: its result has `isError` and the reason, for the model to read.
   */
  // The types come in through `this`, together with the name. Through the parameter of the
  // interface, the compiler would go over all tools again for each call.
  call<All extends AnyCalls, Name extends keyof All & string>(
    this: ClientTools<All>,
    name: Name,
    ...rest: All[Name]["rest"]
  ): Promise<ToolResult<All[Name]["output"]>>;
}

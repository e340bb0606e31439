import type { Tool, ToolAnnotations, ToolInputSchema } from "../../protocol/model/tool.ts";
import type { ToolRule } from "./tool-rules.ts";

/** A tool in the form that the functions for model providers take. */
export interface ModelTool {
  /** The name for models: `^[a-zA-Z0-9_-]{1,64}$`. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: ToolInputSchema;
  readonly annotations?: ToolAnnotations;
}

/** A tool of one of the host's servers. */
export interface HostTool extends ModelTool {
  /** The name of its server in the configuration. */
  readonly server: string;
  /** The tool as its server lists it, with its own name. */
  readonly tool: Tool;
  /** Left out of lists; it can be called by its name. */
  readonly isHidden?: true;
}

export function toHostTool(
  server: string,
  name: string,
  tool: Tool,
  { hide }: Pick<ToolRule, "hide">,
): HostTool {
  const { title = tool.annotations?.title, description, inputSchema, annotations } = tool;
  return {
    name,
    server,
    tool,
    inputSchema,
    ...(hide && { isHidden: true }),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(annotations !== undefined && { annotations }),
  };
}

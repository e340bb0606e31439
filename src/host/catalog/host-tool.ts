import type { Tool, ToolAnnotations, ToolInputSchema } from "../../protocol/model/tool.ts";

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
}

export function toHostTool(server: string, name: string, tool: Tool): HostTool {
  const { title = tool.annotations?.title, description, inputSchema, annotations } = tool;
  return {
    name,
    server,
    tool,
    inputSchema,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(annotations !== undefined && { annotations }),
  };
}

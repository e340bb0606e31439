import type { CallToolResult, Tool } from "../../protocol/model/tool.ts";

/** Throws when a result is not what its tool promises. */
export type OutputCheck = (result: CallToolResult) => void;

/**
 * Checks structured results against the schemas of their tools, each compiled once.
 *
 * server/tools#output-schema (2025-11-25)
 */
export class OutputValidators {
  readonly #checks = new WeakMap<Tool, Promise<OutputCheck>>();

  /** Rejects when the tool's schema can't be used, since its results could not be checked then. */
  of(tool: Tool | undefined): Promise<OutputCheck> | undefined {
    // Some servers spell an absent schema as null.
    if (!tool?.outputSchema) return undefined;
    const known = this.#checks.get(tool);
    if (known !== undefined) return known;
    const check = compile(tool.name, tool.outputSchema);
    this.#checks.set(tool, check);
    return check;
  }
}

async function compile(name: string, schema: NonNullable<Tool["outputSchema"]>): Promise<OutputCheck> {
  // Loaded on demand: many servers have no tool with an output schema.
  const { compileOutputCheck } = await import("./compile-output-check.ts");
  return compileOutputCheck(name, schema);
}

import { InvalidOutputError } from "../../errors.ts";
import type { CallToolResult, Tool } from "../../protocol/model/tool.ts";
import { SchemaRefusedError } from "../../schema/error.ts";
import type { Validator } from "../../schema/validator/validator.ts";

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
    const check = compileCheck(tool.name, tool.outputSchema);
    this.#checks.set(tool, check);
    return check;
  }
}

async function compileCheck(name: string, schema: NonNullable<Tool["outputSchema"]>): Promise<OutputCheck> {
  const validator = await compile(name, schema);
  return ({ isError, structuredContent }) => {
    if (isError) return;
    if (structuredContent === undefined)
      throw new InvalidOutputError(`Tool "${name}" declares an output schema but gave no structured result.`);
    const checked = validator.validate(structuredContent);
    if (checked.ok) return;
    const issues = checked.issues.map(({ path, message }) => `${path} ${message}`.trim());
    throw new InvalidOutputError(
      `Tool "${name}" gave a result that its schema forbids: ${issues.join("; ")}.`,
    );
  };
}

async function compile(name: string, schema: NonNullable<Tool["outputSchema"]>): Promise<Validator> {
  // Loaded on demand: many servers have no tool with an output schema.
  const { compilePeerValidator } = await import("../../schema/validator/peer-validator.ts");
  try {
    return await compilePeerValidator(schema);
  } catch (error) {
    if (!(error instanceof SchemaRefusedError)) throw error;
    throw new InvalidOutputError(
      `Tool "${name}" was not called, because its results can't be checked: ${error.message} Connect with checkOutput: false to call it all the same.`,
      { cause: error },
    );
  }
}

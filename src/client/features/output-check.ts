import { InvalidOutputError } from "../../errors.ts";
import type { CallToolResult, Tool } from "../../protocol/model/tool.ts";
import { SchemaRefusedError } from "../../schema/error.ts";
import { compilePeerValidator } from "../../schema/validator/peer-validator.ts";
import type { Validator } from "../../schema/validator/validator.ts";

/** Throws when a result is not what its tool promises. */
export type OutputCheck = (result: CallToolResult) => void;

/**
 * The check of a tool's structured results; rejects when its schema can't be used, since they could not be checked then.
 *
 * server/tools#output-schema (2025-11-25)
 */
export async function compileOutputCheck(
  name: string,
  schema: NonNullable<Tool["outputSchema"]>,
): Promise<OutputCheck> {
  const validator = await compileSchema(name, schema);
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

async function compileSchema(name: string, schema: NonNullable<Tool["outputSchema"]>): Promise<Validator> {
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

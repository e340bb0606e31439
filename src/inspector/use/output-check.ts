import type { CallToolResult, Tool } from "../../protocol/model/tool.ts";
import { compilePeerValidator } from "../../schema/validator/peer-validator.ts";
import type { CheckedOutput } from "../messages/use.ts";

/** Checks structured content against the output schema of its tool. */
export async function checkOutput(tool: Tool | undefined, result: CallToolResult): Promise<CheckedOutput> {
  if (!tool?.outputSchema || result.isError) return { state: "no-schema" };
  const validator = await compilePeerValidator(tool.outputSchema).catch((error: Error) => error);
  if (validator instanceof Error) return { state: "unusable-schema", problems: [validator.message] };
  if (result.structuredContent === undefined)
    return {
      state: "invalid",
      problems: ["The tool declares an output schema and gave no structured content."],
    };
  const checked = validator.validate(result.structuredContent);
  if (checked.ok) return { state: "valid" };
  return {
    state: "invalid",
    problems: checked.issues.map(({ path, message }) => `${path} ${message}`.trim()),
  };
}

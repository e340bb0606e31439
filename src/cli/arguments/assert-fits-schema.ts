import type { Tool } from "allspeak";
import type { JsonObject } from "../../lib/json.ts";
import { describeIssues } from "../../lib/text/issue.ts";
import { compilePeerValidator } from "../../schema/validator/peer-validator.ts";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";

/** Throws with the schema's errors unless the arguments fit; a schema that can't be used is left to the server. */
export async function assertFitsSchema(tool: Tool, args: JsonObject): Promise<void> {
  const validator = await compilePeerValidator(tool.inputSchema).catch(() => undefined);
  const checked = validator?.validate(args);
  if (checked === undefined || checked.ok) return;
  const shown = `The arguments do not fit the schema of ${JSON.stringify(tool.name)}:\n${describeIssues(checked.issues)}`;
  throw new CommandError(shown, ExitCode.usage, {
    hint: "allspeak list <target> tools --long shows the arguments of each tool.",
  });
}

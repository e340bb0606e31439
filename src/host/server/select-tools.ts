import { hashDefinition, serializeDefinition } from "../../client/trust/definition-hash.ts";
import type { Tool } from "../../protocol/model/tool.ts";
import { ruleFor } from "../catalog/tool-rule.ts";
import type { ServerSpec } from "./server-spec.ts";

/** The tools that the configuration lets be used, and sentences about those that are not as they were pinned. */
export async function selectTools(
  spec: ServerSpec,
  tools: readonly Tool[],
): Promise<{ readonly allowed: readonly Tool[]; readonly problems: string[] }> {
  const allowed: Tool[] = [];
  const problems: string[] = [];
  for (const tool of tools) {
    if (!isAllowed(spec, tool.name)) continue;
    const { pin } = ruleFor(spec.toolRules, tool.name);
    const sha256 = pin === undefined ? undefined : await hashDefinition(serializeDefinition(tool));
    if (sha256 === pin) allowed.push(tool);
    else
      problems.push(
        `The tool ${JSON.stringify(tool.name)} is held back: its definition has changed, and has the hash ${sha256} now.`,
      );
  }
  return { allowed, problems };
}

function isAllowed({ allowedTools, deniedTools, toolRules }: ServerSpec, tool: string): boolean {
  if (ruleFor(toolRules, tool).deny || deniedTools.includes(tool)) return false;
  return allowedTools === undefined || allowedTools.includes(tool);
}

import { hashDefinition, serializeDefinition } from "../../client/trust/definition-hash.ts";
import { didYouMean } from "../../lib/text/did-you-mean.ts";
import type { Tool } from "../../protocol/model/tool.ts";
import type { ConfiguredServer } from "../config/host-config.ts";
import { ruledTools, ruleFor } from "./tool-rules.ts";

type ConfiguredTools = Pick<ConfiguredServer, "allowedTools" | "deniedTools" | "toolRules">;

interface RuledTools {
  /** The tools that the configuration lets be used. */
  readonly allowed: readonly Tool[];
  /** The tools that differ from their pins, with sentences that say what to do, by their names. */
  readonly held: ReadonlyMap<string, string>;
  /** Sentences about what is wrong with the rules. */
  readonly problems: string[];
}

export async function applyToolRules(
  configured: ConfiguredTools,
  tools: readonly Tool[],
): Promise<RuledTools> {
  const allowed: Tool[] = [];
  const held = new Map<string, string>();
  const problems = unknownNames(configured, tools);
  for (const tool of tools) {
    if (!isAllowed(configured, tool.name)) continue;
    const { pin } = ruleFor(configured.toolRules, tool.name);
    const sha256 = pin === undefined ? undefined : await hashDefinition(serializeDefinition(tool));
    if (sha256 === pin) allowed.push(tool);
    else
      held.set(
        tool.name,
        `The tool ${JSON.stringify(tool.name)} is held back: its definition has changed, and has the hash ${sha256} now. Look at it, then write that hash into its rule (pin) to approve it.`,
      );
  }
  return { allowed, held, problems };
}

/** False for a tool that a rule or a list of the configuration denies. */
export function isAllowed({ allowedTools, deniedTools, toolRules }: ConfiguredTools, tool: string): boolean {
  if (ruleFor(toolRules, tool).deny || deniedTools.includes(tool)) return false;
  return allowedTools === undefined || allowedTools.includes(tool);
}

/** Sentences about names in the configuration that no tool has: a rule with a typing error protects nothing. */
function unknownNames(
  { allowedTools = [], deniedTools, toolRules }: ConfiguredTools,
  tools: readonly Tool[],
): string[] {
  const known = tools.map(({ name }) => name);
  const named = new Set([...ruledTools(toolRules), ...allowedTools, ...deniedTools]);
  return [...named]
    .filter((name) => !known.includes(name))
    .map(
      (name) =>
        `The configuration has a rule for the tool ${JSON.stringify(name)}, which the server does not list${didYouMean(name, known) || "."}`,
    );
}

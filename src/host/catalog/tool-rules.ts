import { UsageError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";

/** A rule for one tool of a server. */
export interface ToolRule {
  /** The name that models and callers see, instead of `server__tool`. */
  readonly rename?: string | undefined;
  /** Leaves the tool out of lists and searches; it can still be called by its name. */
  readonly hide?: boolean | undefined;
  /** Refuses calls, and leaves the tool out of lists. */
  readonly deny?: boolean | undefined;
  /** The SHA-256 of the definition that was looked at; the tool is held back as long as it has another. */
  readonly pin?: string | undefined;
}

/** Rules by the tool's own name; `*` is for all tools without a rule. */
export interface ToolRules {
  readonly [tool: string]: ToolRule;
}

const kinds: { readonly [member in keyof ToolRule]-?: string } = {
  rename: "string",
  hide: "boolean",
  deny: "boolean",
  pin: "string",
};
const noRule: ToolRule = {};
const everyOther = "*";

/** Reads the rules of one server; returns a sentence about the problem if they can't be used. */
export function readToolRules(value: unknown): ToolRules | string {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) return "its tools are not an object of rules.";
  for (const [tool, rule] of Object.entries(value)) {
    const problem = isObject(rule) ? problemOf(tool, rule) : "is not an object";
    if (problem !== undefined) return `the rule for its tool ${JSON.stringify(tool)} ${problem}.`;
  }
  return value as ToolRules;
}

export function ruleFor(rules: ToolRules, tool: string): ToolRule {
  const own = Object.hasOwn(rules, tool) ? rules[tool] : undefined;
  return own ?? (Object.hasOwn(rules, everyOther) ? rules[everyOther] : undefined) ?? noRule;
}

/** The tools that rules name one by one. */
export function ruledTools(rules: ToolRules): readonly string[] {
  return Object.keys(rules).filter((tool) => tool !== everyOther);
}

/** The servers and their tools by the names that rules give them. Throws UsageError for a name that two would have. */
export function findRenamed(
  servers: Iterable<readonly [server: string, rules: ToolRules]>,
): ReadonlyMap<string, { readonly server: string; readonly tool: string }> {
  const renamed = new Map<string, { readonly server: string; readonly tool: string }>();
  for (const [server, rules] of servers) {
    for (const [tool, { rename }] of Object.entries(rules)) {
      const other = rename === undefined ? undefined : renamed.get(rename);
      if (other)
        throw new UsageError(
          `The tools "${other.tool}" of "${other.server}" and "${tool}" of "${server}" are both renamed to "${rename}".`,
        );
      if (rename !== undefined) renamed.set(rename, { server, tool });
    }
  }
  return renamed;
}

function problemOf(tool: string, rule: JsonObject): string | undefined {
  for (const [member, value] of Object.entries(rule)) {
    const kind = Object.hasOwn(kinds, member) ? kinds[member as keyof ToolRule] : undefined;
    if (kind === undefined) return `has ${JSON.stringify(member)}; use ${Object.keys(kinds).join(", ")}`;
    if (typeof value !== kind) return `has a ${member} that is not a ${kind}`;
  }
  const { rename, pin } = rule;
  if (rename !== undefined && tool === everyOther) return "can't rename several tools";
  // A name with the separator could be that of another server's tool.
  if (rename !== undefined && !/^(?!.*__)[A-Za-z0-9_-]{1,64}$/.test(String(rename)))
    return 'has a rename that is not 1 to 64 letters, digits, "_" or "-", without "__"';
  if (pin !== undefined && !/^[0-9a-f]{64}$/.test(String(pin)))
    return "has a pin that is not the SHA-256 of a definition";
  return undefined;
}

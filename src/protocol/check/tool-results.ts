import { isObject } from "../../lib/json.ts";
import { kindsIn, toBlocks } from "./sampling-rules.ts";

/**
 * The first violation of the rules for tool results in a conversation, as a sentence; undefined if there is none.
 *
 * client/sampling#message-content-constraints (2025-11-25)
 */
export function findToolViolation(messages: readonly unknown[]): string | undefined {
  let open: ReadonlySet<unknown> = new Set();
  for (const message of messages) {
    const results = idsOf(message, "tool_result", "toolUseId");
    if (results.size > 0 && kindsIn(message).some((kind) => kind !== "tool_result"))
      return "Tool results mixed with other content: a message with tool results may hold nothing else.";
    if (results.size > 0 && roleOf(message) !== "user")
      return "Tool results must come in a message of the user.";
    for (const id of open)
      if (!results.has(id)) return `Tool result missing in request: tool use ${JSON.stringify(id)} has none.`;
    for (const id of results)
      if (!open.has(id)) return `Tool result ${JSON.stringify(id)} follows no tool use of that id.`;
    open = idsOf(message, "tool_use", "id");
  }
  const [unanswered] = open;
  if (open.size === 0) return undefined;
  return `Tool result missing in request: tool use ${JSON.stringify(unanswered)} has none.`;
}

function roleOf(message: unknown): unknown {
  return isObject(message) ? message.role : undefined;
}

/** The ids of all blocks of one kind. */
function idsOf(message: unknown, kind: string, member: string): ReadonlySet<unknown> {
  const blocks = isObject(message) ? toBlocks(message) : [];
  return new Set(blocks.flatMap((block) => (isObject(block) && block.type === kind ? [block[member]] : [])));
}

import { isObject, type JsonObject } from "../../lib/json.ts";

/** The rules of one revision for `sampling/createMessage`. */
export interface SamplingRules {
  /** The kinds of content that a message may hold. */
  readonly kinds: ReadonlySet<string>;
  readonly blocks: "several" | "one";
  /**
   * `includeContext` is only for clients that declare `sampling.context`.
   *
   * client/sampling#capabilities (2025-11-25)
   */
  readonly gatesContext: boolean;
}

/** The content of a message as a list. */
export function toBlocks({ content }: JsonObject): readonly unknown[] {
  return Array.isArray(content) ? content : [content];
}

/**
 * True for a request that gives the model tools, or reports their use.
 *
 * client/sampling#tools-in-sampling (2025-11-25)
 */
export function samplesWithTools({ tools, toolChoice, messages }: JsonObject): boolean {
  if ((tools ?? toolChoice) != null) return true;
  return Array.isArray(messages) && messages.some((message) => kindsIn(message).some(isToolKind));
}

function isToolKind(kind: unknown): boolean {
  return kind === "tool_use" || kind === "tool_result";
}

/** The kinds of content in a message. */
export function kindsIn(message: unknown): readonly unknown[] {
  if (!isObject(message)) return [];
  return toBlocks(message).map((block) => (isObject(block) ? block.type : undefined));
}

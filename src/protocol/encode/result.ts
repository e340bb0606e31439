import type { JsonObject } from "../../lib/json.ts";
import type { Encode } from "../method.ts";
import type { Implementation } from "../model/identity.ts";
import type { GetPromptResult, Prompt } from "../model/prompt.ts";
import type { Resource } from "../model/resource.ts";
import type { CallToolResult, Tool } from "../model/tool.ts";
import { encodeContent, encodeContents } from "./content.ts";
import { encodeImplementation, encodePrompt, encodeResource, encodeTool } from "./item.ts";
import { encodeCreatedTask, encodeTask, encodeTasksCapability, isCreatedTask } from "./task.ts";
import { type WireRules, without } from "./wire-rules.ts";

export const encodeToolList: Encode = listOf("tools", (rules, tool) => encodeTool(rules, tool as Tool));
export const encodePromptList: Encode = listOf("prompts", (rules, prompt) =>
  encodePrompt(rules, prompt as Prompt),
);
export const encodeResourceList: Encode = listOf("resources", (rules, item) =>
  encodeResource(rules, item as Resource),
);
export const encodeTemplateList: Encode = listOf("resourceTemplates", (rules, item) =>
  encodeResource(rules, item as Resource),
);
export const encodeReadResult: Encode = listOf("contents", (rules, item) =>
  without(item as JsonObject, rules.omit.content),
);
export const encodeTaskList: Encode = listOf("tasks", (rules, task) =>
  encodeTask(rules, task as JsonObject, (inner) => inner),
);

/** The answer to `tools/call`: a result, or the task that will have it. */
export const encodeCallResult: Encode = (rules, result) =>
  isCreatedTask(result) ? encodeCreatedTask(rules, result) : encodeToolResult(rules, result);

export const encodeToolResult: Encode = (rules, result) =>
  encodeTypedResult(rules, result as unknown as CallToolResult) as unknown as JsonObject;

/** A task with its result, as `tasks/get` and the notifications about it have it. */
export const encodeTaskWithResult: Encode = (rules, task) =>
  encodeTask(rules, task, (inner) => encodeToolResult(rules, inner));

/**
 * Cancelling is acknowledged with an empty result where tasks are an extension, else with the task.
 *
 * ext-tasks/tasks#task-cancellation (draft)
 */
export const encodeCancelledTask: Encode = (rules, task) =>
  rules.tasks === "extension" ? {} : encodeTask(rules, task, (inner) => inner);

export const encodePromptResult: Encode = (rules, result) => {
  const { messages } = result as unknown as GetPromptResult;
  if (messages === undefined) return result;
  return {
    ...result,
    messages: messages.map((message) => {
      const content = encodeContent(rules, message.content);
      return content === message.content ? message : { ...message, content };
    }),
  };
};

export const encodeInitializeResult: Encode = (rules, result) => ({
  ...result,
  serverInfo: encodeImplementation(rules, result.serverInfo as Implementation),
  capabilities: without(
    encodeTasksCapability(rules, result.capabilities as JsonObject),
    rules.omit.capabilities,
  ),
});

function encodeTypedResult(rules: WireRules, result: CallToolResult): CallToolResult {
  if (result.content === undefined) return result;
  const content = encodeContents(rules, result.content);
  const next = content === result.content ? result : { ...result, content };
  return canStructure(rules, next.structuredContent) ? next : without(next, ["structuredContent"]);
}

function canStructure(rules: WireRules, value: unknown): boolean {
  if (value === undefined || rules.structured === "any") return true;
  return (
    rules.structured === "object" && typeof value === "object" && value !== null && !Array.isArray(value)
  );
}

function listOf(key: string, encode: (rules: WireRules, item: unknown) => unknown): Encode {
  return (rules, result) => {
    const items = result[key];
    if (!Array.isArray(items)) return result;
    return { ...result, [key]: items.map((item) => encode(rules, item)) };
  };
}

import type { JsonObject } from "../../lib/json.ts";
import { MetaKey } from "../meta.ts";
import type { Implementation } from "../model/identity.ts";
import type { GetPromptResult, Prompt } from "../model/prompt.ts";
import type { Resource } from "../model/resource.ts";
import type { CallToolResult, Tool } from "../model/tool.ts";
import { encodeAnswer, encodeAsk } from "./ask.ts";
import { encodeContent, encodeContents } from "./content.ts";
import { encodeImplementation, encodePrompt, encodeResource, encodeTool } from "./item.ts";
import {
  encodeCreatedTask,
  encodeTask,
  encodeTaskParams,
  encodeTasksCapability,
  isCreatedTask,
} from "./task.ts";
import { type WireRules, without } from "./wire-rules.ts";

/** From the neutral model to what one revision's peers understand. Never changes what it is given. */
export interface Encoder {
  /** A result of the server; `server` is named in it where the revision wants that. */
  result(method: string, result: JsonObject, server: Implementation): JsonObject;
  notification(method: string, params: JsonObject): JsonObject;
  /** Params of a request from the server to the client. */
  ask(method: string, params: JsonObject): JsonObject;
  /** The client's answer to such a request. */
  answer(method: string, answer: JsonObject): JsonObject;
  /** Params of a request from the client. */
  params(method: string, params: JsonObject): JsonObject;
  implementation(value: Implementation): Implementation;
}

export function createEncoder(rules: WireRules): Encoder {
  const body = createBodyEncoder(rules);
  return {
    result: rules.describesResults
      ? (method, result, server) => describeResult(body(method, result), server)
      : (method, result) => without(body(method, result), rules.omit.result),
    notification: (method, params) => encodeNotice(rules, method, params),
    ask: (method, params) => encodeAsk(rules, method, params),
    answer: (method, answer) => encodeAnswer(rules, method, answer),
    params: (method, params) => encodeParams(rules, method, params),
    implementation: (value) => encodeImplementation(rules, value),
  };
}

function createBodyEncoder(rules: WireRules): (method: string, result: JsonObject) => JsonObject {
  return (method, result) => {
    switch (method) {
      case "tools/call":
        return isCreatedTask(result) ? encodeCreatedTask(rules, result) : encodeCallResult(rules, result);
      case "tasks/result":
        return encodeCallResult(rules, result);
      case "tasks/cancel":
        if (rules.tasks === "extension") return {};
        return encodeTask(rules, result, (inner) => inner);
      case "tasks/get":
        return encodeTask(rules, result, (inner) => encodeCallResult(rules, inner));
      case "tasks/list":
        return mapItems(result, "tasks", (task) => encodeTask(rules, task as JsonObject, (inner) => inner));
      case "tools/list":
        return mapItems(result, "tools", (tool) => encodeTool(rules, tool as Tool));
      case "resources/list":
        return mapItems(result, "resources", (item) => encodeResource(rules, item as Resource));
      case "resources/templates/list":
        return mapItems(result, "resourceTemplates", (item) => encodeResource(rules, item as Resource));
      case "resources/read":
        return mapItems(result, "contents", (item) => without(item as JsonObject, rules.omit.content));
      case "prompts/list":
        return mapItems(result, "prompts", (prompt) => encodePrompt(rules, prompt as Prompt));
      case "prompts/get":
        return encodePromptResult(rules, result as unknown as GetPromptResult) as unknown as JsonObject;
      case "initialize":
        return encodeOpening(rules, result);
      default:
        return result;
    }
  };
}

function describeResult(result: JsonObject, server: Implementation): JsonObject {
  const _meta = { ...(result._meta as JsonObject | undefined), [MetaKey.serverInfo]: server };
  return { resultType: "complete", ...result, _meta };
}

function encodeNotice(rules: WireRules, method: string, params: JsonObject): JsonObject {
  switch (method) {
    case "notifications/progress":
      return without(params, rules.omit.progress);
    case "notifications/tasks":
    case "notifications/tasks/status":
      return encodeTask(rules, params, (inner) => encodeCallResult(rules, inner));
    default:
      return params;
  }
}

function encodeParams(rules: WireRules, method: string, params: JsonObject): JsonObject {
  switch (method) {
    case "completion/complete":
      return without(params, rules.omit.completion);
    case "tools/call":
      return encodeTaskParams(rules, params);
    default:
      return params;
  }
}

function encodeCallResult(rules: WireRules, result: JsonObject): JsonObject {
  return encodeToolResult(rules, result as unknown as CallToolResult) as unknown as JsonObject;
}

function encodeToolResult(rules: WireRules, result: CallToolResult): CallToolResult {
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

function encodePromptResult(rules: WireRules, result: GetPromptResult): GetPromptResult {
  if (result.messages === undefined) return result;
  const messages = result.messages.map((message) => {
    const content = encodeContent(rules, message.content);
    return content === message.content ? message : { ...message, content };
  });
  return { ...result, messages };
}

function encodeOpening(rules: WireRules, result: JsonObject): JsonObject {
  return {
    ...result,
    serverInfo: encodeImplementation(rules, result.serverInfo as Implementation),
    capabilities: without(
      encodeTasksCapability(rules, result.capabilities as JsonObject),
      rules.omit.capabilities,
    ),
  };
}

function mapItems(result: JsonObject, key: string, encode: (item: unknown) => unknown): JsonObject {
  const items = result[key];
  return Array.isArray(items) ? { ...result, [key]: items.map(encode) } : result;
}

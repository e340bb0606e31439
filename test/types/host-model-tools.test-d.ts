// The forms of the host's tools and results, in the types that the libraries of model providers publish.
import type Anthropic from "@anthropic-ai/sdk";
import type { Content, FunctionCall, Tool as GeminiTool } from "@google/genai";
import type { ModelMessage, ToolSet } from "ai";
import {
  type Host,
  toAiSdkTools,
  toAnthropicResult,
  toAnthropicTools,
  toGeminiParts,
  toGeminiTools,
  toOpenAIChatMessages,
  toOpenAIChatTools,
  toOpenAIResponsesResult,
  toOpenAIResponsesTools,
} from "allspeak/host";
import type OpenAI from "openai";

export async function answerAnthropic(
  host: Host,
  message: Anthropic.Message,
): Promise<Anthropic.MessageParam> {
  const tools: Anthropic.ToolUnion[] = toAnthropicTools(await host.modelTools());
  const content: Anthropic.ToolResultBlockParam[] = [];
  for (const block of message.content)
    if (block.type === "tool_use")
      content.push(
        toAnthropicResult(block.id, await host.call(block.name, block.input as Record<string, unknown>)),
      );
  return { role: "user", content: tools.length > 0 ? content : [] };
}

export async function answerChat(
  host: Host,
  message: OpenAI.ChatCompletionMessage,
): Promise<OpenAI.ChatCompletionMessageParam[]> {
  const tools: OpenAI.ChatCompletionTool[] = toOpenAIChatTools(await host.modelTools());
  const calls = (message.tool_calls ?? []).filter((call) => call.type === "function");
  const answers = await Promise.all(
    calls.map(async ({ id, function: { name, arguments: args } }) => ({
      id,
      result: await host.call(name, JSON.parse(args)),
    })),
  );
  return tools.length > 0 ? toOpenAIChatMessages(answers) : [];
}

export async function answerResponses(
  host: Host,
  response: OpenAI.Responses.Response,
): Promise<OpenAI.Responses.ResponseInput> {
  const tools: OpenAI.Responses.Tool[] = toOpenAIResponsesTools(await host.modelTools());
  const items: OpenAI.Responses.ResponseInputItem[] = [];
  for (const item of response.output)
    if (item.type === "function_call" && tools.length > 0)
      items.push(
        toOpenAIResponsesResult(item.call_id, await host.call(item.name, JSON.parse(item.arguments))),
      );
  return items;
}

export async function answerGemini(host: Host, calls: FunctionCall[]): Promise<Content> {
  const tools: GeminiTool[] = toGeminiTools(await host.modelTools());
  const parts: Content["parts"] = [];
  for (const call of tools.length > 0 ? calls : [])
    parts.push(...toGeminiParts(call, await host.call(call.name ?? "", call.args)));
  return { role: "user", parts };
}

export async function toolsOfAiSdk(host: Host): Promise<[ToolSet, ModelMessage[]]> {
  return [toAiSdkTools(await host.modelTools(), host), []];
}

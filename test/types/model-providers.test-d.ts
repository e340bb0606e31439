// Results of a client fit the types that the libraries of model providers publish: their arrays are not readonly.
import type Anthropic from "@anthropic-ai/sdk";
import { mcpMessages, mcpResourceToContent, mcpTools } from "@anthropic-ai/sdk/helpers/beta/mcp";
import type { FunctionDeclaration } from "@google/genai";
import { dynamicTool, jsonSchema, type ToolSet } from "ai";
import { type Client, consentPolicy } from "allspeak/client";
import type OpenAI from "openai";

export async function toAnthropic(client: Client): Promise<Anthropic.Tool[]> {
  const tools = await client.tools.list().all();
  return tools.map(({ name, description = "", inputSchema }) => ({
    name,
    description,
    input_schema: inputSchema,
  }));
}

/** The helpers for MCP that Anthropic publishes take all but structured content, which may be any JSON since 2026-07-28. */
export async function toRunner(client: Client): Promise<Anthropic.Beta.BetaMessageParam[]> {
  mcpTools(await client.tools.list().all(), {
    callTool: async ({ name, arguments: args }) => {
      const { content, isError } = await client.tools.call(name, args);
      return { content, isError };
    },
  });
  const { messages } = await client.prompts.get("plan");
  const note = mcpResourceToContent(await client.resources.read("notes://1"));
  return [...mcpMessages(messages), { role: "user", content: [note] }];
}

export async function toOpenAI(
  client: Client,
): Promise<[OpenAI.ChatCompletionTool[], OpenAI.Responses.FunctionTool[]]> {
  const tools = await client.tools.list().all();
  return [
    tools.map(({ name, description = "", inputSchema }) => ({
      type: "function",
      function: { name, description, parameters: inputSchema },
    })),
    tools.map(({ name, inputSchema }) => ({
      type: "function",
      name,
      parameters: inputSchema,
      strict: false,
    })),
  ];
}

export async function toGemini(client: Client): Promise<FunctionDeclaration[]> {
  const tools = await client.tools.list().all();
  return tools.map(({ name, inputSchema }) => ({ name, parametersJsonSchema: inputSchema }));
}

export async function toAiSdk(client: Client): Promise<ToolSet> {
  const tools: ToolSet = {};
  for (const { name, inputSchema } of await client.tools.list().all())
    tools[name] = dynamicTool({
      inputSchema: jsonSchema(inputSchema),
      execute: (args) => client.tools.call(name, args as Record<string, unknown>),
    });
  return tools;
}

// One literal, several, and neither a promise.
consentPolicy({ ask: async () => "once" });
consentPolicy({ ask: async ({ name }) => (name === "read" ? "always" : "no") });
consentPolicy({ ask: () => "never" });
consentPolicy({});
// @ts-expect-error: "yes" is not an answer.
consentPolicy({ ask: async () => "yes" });

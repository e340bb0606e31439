import type { Tool } from "allspeak";

export interface ToolCost {
  readonly tool: string;
  readonly tokens: number;
}

/**
 * Estimates what a tool costs a model: one token for four characters of the JSON that a provider is sent, name,
 * description and schema. Real tokenizers differ by about a fifth.
 */
export function estimateTokens({
  name,
  description,
  inputSchema,
}: Pick<Tool, "name" | "description" | "inputSchema">): number {
  return Math.ceil(JSON.stringify({ name, description, input_schema: inputSchema }).length / 4);
}

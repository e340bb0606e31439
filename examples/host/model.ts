import type { AnthropicResult, AnthropicTool } from "allspeak/host";

/** A block of the model's answer, in the form of Anthropic's API. */
export type AnswerBlock =
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: Record<string, unknown> };

export type Message =
  | { role: "user"; content: string | AnthropicResult[] }
  | { role: "assistant"; content: AnswerBlock[] };

/** One call that the model makes. */
export interface Step {
  readonly tool: string;
  readonly input: Record<string, unknown>;
}

/** A model that makes the calls of a script, one after the other, and ends with a text. */
export function createModel(script: readonly Step[]) {
  return (messages: readonly Message[], tools: readonly AnthropicTool[]): AnswerBlock[] => {
    const at = messages.filter(({ role }) => role === "assistant").length;
    const step = script[at];
    if (step === undefined) return [{ type: "text", text: `Done, with ${tools.length} tools.` }];
    return [{ type: "tool_use", id: `call-${at}`, name: step.tool, input: step.input }];
  };
}

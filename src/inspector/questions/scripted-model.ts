import { isObject, type JsonObject } from "../../lib/json.ts";
import type { SamplingMessage, SamplingRequest, SamplingResult } from "../../protocol/model/sampling.ts";
import type { ScriptedModel } from "../messages/question.ts";

export const defaultModel: ScriptedModel = {
  name: "scripted-model",
  sampling: "ask",
  rules: [],
  otherwise: "You said: {last}",
};

/** The reply of a script: a text, or a tool to call. */
export interface ScriptedReply {
  readonly text: string;
  readonly call?: { readonly tool: string; readonly arguments: JsonObject };
  /** The place of the rule that matched. */
  readonly rule?: number;
}

/** The reply of the first rule that matches the last message. Rules that call a tool are left out if `calls` is false. */
export function replyOf(model: ScriptedModel, last: string, calls: boolean): ScriptedReply {
  const rule = model.rules.findIndex(
    ({ when, call }) => (calls || call === undefined) && last.toLowerCase().includes(when.toLowerCase()),
  );
  const found = model.rules[rule];
  if (found === undefined) return { text: fill(model.otherwise, last) };
  const text = fill(found.reply ?? "", last);
  if (found.call === undefined) return { text, rule };
  return {
    text,
    rule,
    call: { tool: found.call.tool, arguments: fillAll(found.call.arguments, last) as JsonObject },
  };
}

/** The answer of the script to a server that wants a model. */
export function sampleOf(
  model: ScriptedModel,
  { messages, tools }: SamplingRequest,
): { result: SamplingResult; rule?: number } {
  const last = textOf(messages.at(-1));
  const { text, call, rule } = replyOf(model, last, tools !== undefined && tools.length > 0);
  const content = call
    ? ({ type: "tool_use", id: `call-${messages.length}`, name: call.tool, input: call.arguments } as const)
    : ({ type: "text", text } as const);
  return {
    result: { role: "assistant", model: model.name, stopReason: call ? "toolUse" : "endTurn", content },
    ...(rule !== undefined && { rule }),
  };
}

function textOf(message: SamplingMessage | undefined): string {
  const blocks = message === undefined ? [] : [message.content].flat();
  return blocks
    .map((block) => (isObject(block) && typeof block.text === "string" ? block.text : ""))
    .filter((text) => text !== "")
    .join("\n");
}

function fill(text: string, last: string): string {
  return text.replaceAll("{last}", () => last);
}

function fillAll(value: unknown, last: string): unknown {
  if (typeof value === "string") return fill(value, last);
  if (Array.isArray(value)) return value.map((item) => fillAll(item, last));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fillAll(item, last)]));
}

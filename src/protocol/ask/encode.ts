import { isObject, type JsonObject } from "../../lib/json.ts";
import { encodeContent } from "../encode/content.ts";
import { type WireRules, without } from "../encode/wire-rules.ts";
import type { Encode } from "../method.ts";
import type { AudioContent, ImageContent, TextContent } from "../model/content.ts";
import type { SamplingContent, SamplingMessage, SamplingRequest, SamplingResult } from "../model/sampling.ts";

/** The answer to a sampling request: several texts become one where a message has one block; others stay a list. */
export const encodeSamplingResult: Encode = (rules, answer) => {
  if (rules.samplingContent === "list") return answer;
  const { content } = answer as unknown as SamplingResult;
  const given: readonly SamplingContent[] = Array.isArray(content) ? content : [content];
  const blocks = given.map((block) =>
    isPlain(block) ? (encodeContent(rules, block) as TextContent) : block,
  );
  return { ...answer, content: toOneBlock(blocks) ?? blocks };
};

function toOneBlock(blocks: readonly SamplingContent[]): SamplingContent | undefined {
  const [first] = blocks;
  if (blocks.length === 1) return first;
  const texts = blocks.filter((block) => block.type === "text");
  if (texts.length < blocks.length) return undefined;
  return { type: "text", text: texts.map(({ text }) => text).join("") };
}

export const encodeSampling: Encode = (rules, params) => {
  const next = without(params as unknown as SamplingRequest, rules.omit.sampling);
  const messages = next.messages.flatMap((message) => encodeMessage(rules, message));
  return { ...next, messages } as unknown as JsonObject;
};

export const encodeElicitation: Encode = (rules, params) => {
  const next = without(params, rules.omit.elicitation);
  const schema = next.requestedSchema;
  if (rules.formFields === "all" || !isObject(schema) || !isObject(schema.properties)) return next;
  const fields = Object.entries(schema.properties);
  const properties = Object.fromEntries(fields.map(([name, field]) => [name, toPlainField(field)]));
  return { ...next, requestedSchema: { ...schema, properties } };
};

/** A field whose choices have their titles in `enumNames`, and whose default is kept only for a boolean. */
function toPlainField(field: unknown): unknown {
  if (!isObject(field)) return field;
  const { default: initial, oneOf, ...plain } = field;
  const choices = Array.isArray(oneOf) ? oneOf.filter(isObject) : undefined;
  return {
    ...plain,
    ...(choices && { enum: choices.map((choice) => choice.const) }),
    ...(choices && { enumNames: choices.map((choice) => choice.title) }),
    ...(typeof initial === "boolean" && { default: initial }),
  };
}

/** A message of several blocks becomes several messages where a message has one. */
function encodeMessage(rules: WireRules, message: SamplingMessage): SamplingMessage[] {
  if (rules.samplingContent === "list") return [message];
  const blocks = Array.isArray(message.content) ? message.content : [message.content];
  return blocks.map((block) => ({
    role: message.role,
    content: isPlain(block) ? (encodeContent(rules, block) as TextContent) : block,
  }));
}

function isPlain(block: unknown): block is TextContent | ImageContent | AudioContent {
  return isObject(block) && (block.type === "text" || block.type === "image" || block.type === "audio");
}

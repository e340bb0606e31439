import type { Implementation } from "../model/identity.ts";
import type { Prompt } from "../model/prompt.ts";
import type { Tool } from "../model/tool.ts";
import { type WireRules, without } from "./wire-rules.ts";

export function encodeImplementation(rules: WireRules, value: Implementation): Implementation {
  return without(value, rules.omit.implementation);
}

export function encodeTool(rules: WireRules, tool: Tool): Tool {
  const known = without(tool, rules.omit.tool);
  const next = rules.tasks === "augmented" ? known : without(known, ["execution"]);
  if (next.outputSchema === undefined || canOutput(rules, next.outputSchema)) return next;
  return without(next, ["outputSchema"]);
}

/** True for a schema that the revision can carry: where structured results are objects, only that of an object. */
function canOutput(rules: WireRules, schema: Tool["outputSchema"]): boolean {
  return rules.structured === "any" || schema?.type === "object";
}

interface HasAnnotations {
  readonly annotations?: object;
}

export function encodeResource<T extends HasAnnotations>(rules: WireRules, resource: T): T {
  const next = without(resource, rules.omit.resource);
  if (next.annotations === undefined) return next;
  const annotations = without(next.annotations, rules.omit.annotations);
  return annotations === next.annotations ? next : { ...next, annotations };
}

export function encodePrompt(rules: WireRules, prompt: Prompt): Prompt {
  const next = without(prompt, rules.omit.prompt);
  if (next.arguments === undefined || rules.omit.promptArgument.length === 0) return next;
  return { ...next, arguments: next.arguments.map((arg) => without(arg, rules.omit.promptArgument)) };
}

import { isObject } from "../../lib/json.ts";
import type { HostTool } from "../catalog/host-tool.ts";
import type { WeightedTerms } from "./bm25.ts";
import { boostsOf, toTerms } from "./terms.ts";

/** Terms of one part of a tool; a server can't fill the index with a long description. */
const maxTerms = 300;
const maxDepth = 3;
const maxParameters = 200;

/** The terms by which a tool is found: of its name, title and server most, then its description, then its parameters. */
export function toToolTerms({
  server,
  title = "",
  description = "",
  inputSchema,
  tool,
}: HostTool): WeightedTerms {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const term of toTerms(text, maxTerms)) weights.set(term, (weights.get(term) ?? 0) + weight);
  };
  add(tool.name, 3);
  add(title, 2);
  add(server, 1.5);
  add(description, 1);
  add(parameterText(inputSchema), 0.5);
  return weights;
}

/** The terms of a question, and those with the same meaning. */
export function toQueryTerms(query: string): WeightedTerms {
  const weights = new Map<string, number>();
  for (const term of toTerms(query, maxTerms))
    for (const [other, boost] of boostsOf(term)) weights.set(other, Math.max(boost, weights.get(other) ?? 0));
  return weights;
}

/** Names and descriptions of parameters. */
function parameterText(schema: unknown): string {
  const words: string[] = [];
  const visit = (part: unknown, depth: number): void => {
    if (!isObject(part) || depth > maxDepth) return;
    if (typeof part.description === "string") words.push(part.description);
    for (const [name, property] of Object.entries(isObject(part.properties) ? part.properties : {})) {
      if (words.length >= maxParameters) return;
      words.push(name);
      visit(property, depth + 1);
    }
    visit(part.items, depth + 1);
  };
  visit(schema, 0);
  return words.join(" ");
}

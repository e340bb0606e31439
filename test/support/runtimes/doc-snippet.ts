import { readFileSync } from "node:fs";
import { root } from "../../package/paths.ts";

/** The one example of a page of the documentation that contains a text. */
export function readDocSnippet(page: string, containing: string): string {
  const text = readFileSync(`${root}/docs/${page}`, "utf8");
  const snippets = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
  const [found, ...others] = snippets.filter((code) => code.includes(containing));
  if (found === undefined || others.length > 0)
    throw new Error(`docs/${page} has not exactly one example with ${containing}.`);
  return found;
}

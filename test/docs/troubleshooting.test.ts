// Each message that docs/troubleshooting.md has as a heading is one that the code writes.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const sources = fileURLToPath(new URL("../../src/", import.meta.url));
const page = readFileSync(new URL("../../docs/troubleshooting.md", import.meta.url), "utf8");
const messages = [...page.matchAll(/^### `(.+)`$/gm)].map(([, message = ""]) => message);
const patterns = readdirSync(sources, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .flatMap((path) => patternsIn(readFileSync(sources + path, "utf8")));

it("docs/troubleshooting.md has messages", () => {
  expect(messages.length).toBeGreaterThan(20);
});

it.each(messages)("the code writes: %s", (message) => {
  expect(isWritten(message)).toBe(true);
});

/** Names and numbers differ from case to case; a longer insertion is a text that the code has, too. */
const longestValue = 5;

function isWritten(message: string): boolean {
  const isValue = (text: string) => text.split(" ").length <= longestValue;
  return patterns.some((pattern) => {
    const [, ...inserted] = pattern.exec(message) ?? ["", message];
    return inserted.every((text) => text !== message && (isValue(text) || isWritten(text)));
  });
}

/** The texts of a file that are long enough to be known again, with a group for each value that is inserted. */
function patternsIn(text: string): RegExp[] {
  const patterns: RegExp[] = [];
  const add = (parts: readonly string[]) => {
    if (!parts.some((part) => part.length >= 10)) return;
    const literal = parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
    // Some texts get their full stop, or the end of their line, elsewhere.
    patterns.push(new RegExp(`^${literal.join("(.*)").trimEnd()}\\.?$`));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) add([node.text]);
    if (ts.isTemplateExpression(node))
      add([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest));
  return patterns;
}
